// Command line: `portico key …`.
import type { Command } from 'commander';
import { makeKeySecret } from '#auth/key-format.ts';
import { ENVIRONMENTS, type Environment } from '#core/principal.ts';
import type { ScopeSet } from '#core/scopes.ts';
import { LASTING, TIERS } from '#core/tiers.ts';
import { tallyKeyUse } from '#repositories/access-record/activity.ts';
import { readServerClock } from '#repositories/database-health.ts';
import { requireFirmExists } from '#repositories/existence.ts';
import { listKeys, requireKey } from '#repositories/keys/key-queries.ts';
import { changeKey, type KeyChanges } from '#repositories/keys/key-settings.ts';
import { createKey, MAX_OVERLAP_MS, revokeKey, rotateKey, setKeyTier } from '#repositories/keys/keys.ts';
import { scopesOption } from '../grant-options.ts';
import { type CommandHost, print, UsageError } from '../host.ts';
import { keyFacts, keyJson, keyTable } from '../key-output.ts';
import { operator } from '../operator.ts';
import {
  choice,
  countUpTo,
  expiresOption,
  NEVER,
  NONE,
  networksOption,
  type OccasionOptions,
  occasionOf,
  parseDuration,
  parseExpiryOrNever,
  parseName,
  parseNote,
  untilText,
  withOccasion,
} from '../options.ts';
import { revoking, withDatabase } from '../session.ts';
import { facts, table } from '../table.ts';

const SHOWN_ONCE = 'The secret is shown only now; only its hash is stored.';
/** Removes an override, so that the key has its regular tier. */
const NO_OVERRIDE = 'default';

export function registerKey(host: CommandHost): void {
  const key = host.program.command('key').description('API keys of firms');
  registerCreate(key, host);
  registerList(key, host);
  registerUpdate(key, host);
  registerUse(key, host);
  registerRotate(key, host);
  registerRevoke(key, host);
  registerTier(key, host);
}

interface CreateOptions {
  firm: string;
  name: string;
  environment: Environment;
  scopes: ScopeSet;
  expires?: string;
  note?: string;
  networks?: string[];
}

function registerCreate(key: Command, { config, json }: CommandHost): void {
  key
    .command('create')
    .description('create a key; its secret is printed only once')
    .requiredOption('--firm <id>', 'the firm that uses it')
    .requiredOption('--name <name>', 'what the firm calls it', parseName)
    .addOption(choice('--environment <environment>', 'whose clients it may read', ENVIRONMENTS).makeOptionMandatory())
    .addOption(scopesOption().makeOptionMandatory())
    .addOption(expiresOption())
    .option('--note <text>', 'for the members of the firm', parseNote)
    .addOption(networksOption())
    .action(({ firm, name, environment, scopes, expires, note, networks }: CreateOptions) =>
      withDatabase(config(), async (database) => {
        const secret = makeKeySecret(environment);
        const given = { firmId: firm, name, environment, scopes, note, allowedNetworks: networks };
        const wanted = { ...given, expiresAt: expires ?? null, secret };
        const created = await createKey(database, wanted, operator(), config().keyBounds);
        const text = facts(`Created key ${created.id}. ${SHOWN_ONCE}`, { secret: secret.text, ...keyFacts(created) });
        print(json(), { ...keyJson(created), secret: secret.text }, text);
      }),
    );
}

function registerList(key: Command, { config, json }: CommandHost): void {
  key
    .command('list')
    .description('all keys, oldest first')
    .option('--firm <id>', "only this firm's")
    .action(({ firm }: { firm?: string }) =>
      withDatabase(config(), async (database) => {
        if (firm !== undefined) await requireFirmExists(database, firm);
        const keys = await listKeys(database, { firmId: firm });
        print(json(), keys.map(keyJson), keyTable(keys));
      }),
    );
}

interface UpdateOptions {
  name?: string;
  note?: string;
  /** RFC 3339, or `never`. */
  expires?: string;
  networks?: string[];
}

function registerUpdate(key: Command, { config, json }: CommandHost): void {
  key
    .command('update <id>')
    .description('change the name, note, expiry or networks of a key; options not given change nothing')
    .option('--name <name>', 'what the firm calls it', parseName)
    .option('--note <text>', `for the members of the firm; ${NONE}: no note`, parseNote)
    .option(
      '--expires <time>',
      'RFC 3339 timestamp, a duration from now such as 24h, 30d, or never; only of a key that is active',
      parseExpiryOrNever,
    )
    .addOption(networksOption())
    .action((id: string, { name, note, expires, networks }: UpdateOptions) => {
      const changes: KeyChanges = {
        name,
        note: note === NONE ? null : note,
        expiresAt: expires === NEVER ? null : expires,
        allowedNetworks: networks,
      };
      if (Object.values(changes).every((value) => value === undefined))
        throw new UsageError('give one or more of --name, --note, --expires, --networks');
      return withDatabase(config(), async (database) => {
        const changed = await changeKey(database, id, changes, operator(), config().keyBounds);
        print(json(), keyJson(changed), facts(`Key ${id} is changed.`, keyFacts(changed)));
      });
    });
}

const MAX_DAYS = 36_500;

function registerUse(key: Command, { config, json }: CommandHost): void {
  key
    .command('use <id>')
    .description('how often a key called which endpoint, by day (UTC)')
    .option('--days <number>', `how many days, today included; at most ${MAX_DAYS}`, countUpTo(MAX_DAYS), 30)
    .action((id: string, { days }: { days: number }) =>
      withDatabase(config(), async (database) => {
        const { firmId } = await requireKey(database, id);
        const now = await readServerClock(database);
        const tallies = await tallyKeyUse(database, { firmId, keyId: id }, { days, zone: 'UTC', now });
        const rows = tallies.map(({ day, endpoint, status, calls }) => ({ day, endpoint, status, calls }));
        const cells = rows.map(({ day, endpoint, status, calls }) => [day, endpoint, status, calls]);
        print(json(), rows, table(['DAY', 'ENDPOINT', 'STATUS', 'CALLS'], cells, 'There were no calls.'));
      }),
    );
}

function registerRotate(key: Command, { config, json }: CommandHost): void {
  key
    .command('rotate <id>')
    .description('create a successor with the same settings and grants; its secret is printed only once')
    .option('--overlap <duration>', 'how long the old key still works: 0s to 24h (default 1h)', parseDuration)
    .action((id: string, { overlap }: { overlap?: number }) => {
      if (overlap !== undefined && overlap > MAX_OVERLAP_MS) throw new UsageError('--overlap must be 0s to 24h');
      return withDatabase(config(), async (database) => {
        const { environment } = await requireKey(database, id);
        const secret = makeKeySecret(environment);
        const rotation = { secret, overlapMs: overlap };
        const keys = await rotateKey(database, id, rotation, operator(), config().keyBounds);
        const { successor, predecessor } = keys;
        const headline = `Key ${successor.id} succeeds ${id}, which works until ${predecessor.expiresAt}. ${SHOWN_ONCE}`;
        print(
          json(),
          { ...keyJson(successor), secret: secret.text, predecessor: keyJson(predecessor) },
          facts(headline, { secret: secret.text, ...keyFacts(successor) }),
        );
      });
    });
}

function registerRevoke(key: Command, { config, json }: CommandHost): void {
  key
    .command('revoke <id>')
    .description('revoke a key permanently, with immediate effect')
    .action((id: string) =>
      revoking(config(), async (database) => {
        const revoked = await revokeKey(database, id, operator());
        print(json(), keyJson(revoked), `Key ${id} is revoked since ${revoked.revokedAt}.`);
      }),
    );
}

function registerTier(key: Command, { config, json }: CommandHost): void {
  const command = key
    .command('tier <id> <tier>')
    .description(
      `override the rate limit of one key and its rotations: ${TIERS.join(', ')}; ${NO_OVERRIDE} removes the override, ${LASTING} only one that expires`,
    );
  withOccasion(command).action((id: string, tier: string, options: OccasionOptions) => {
    const known = ([...TIERS, LASTING] as const).find((name) => name === tier) ?? null;
    if (known === null && tier !== NO_OVERRIDE)
      throw new UsageError(`"${tier}" is not one of ${TIERS.join(', ')}, ${NO_OVERRIDE}, ${LASTING}`);
    if ((known === null || known === LASTING) && options.expires !== undefined)
      throw new UsageError(`--expires is for ${TIERS.join(', ')} only`);
    return withDatabase(config(), async (database) => {
      const changed = await setKeyTier(database, id, { tier: known, ...occasionOf(options) }, operator());
      print(json(), keyJson(changed), `Key ${id} has the tier ${changed.tier}${untilText(options.expires)}.`);
    });
  });
}
