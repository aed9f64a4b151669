// Command line: `portico key …`.
import type { Command } from 'commander';
import { makeKeySecret } from '#auth/key-format.ts';
import { Refusal } from '#core/errors.ts';
import { ENVIRONMENTS, type Environment } from '#core/principal.ts';
import type { ScopeSet } from '#core/scopes.ts';
import { TIERS } from '#core/tiers.ts';
import { findKey, listKeys } from '#repositories/keys/key-queries.ts';
import { createKey, MAX_OVERLAP_MS, revokeKey, rotateKey, setKeyTier } from '#repositories/keys/keys.ts';
import { type CommandHost, print, UsageError } from '../host.ts';
import { keyFacts, keyJson, keyTable } from '../key-output.ts';
import { operator } from '../operator.ts';
import { choice, expiresOption, parseDuration, required, scopesOption } from '../options.ts';
import { withDatabase } from '../session.ts';
import { facts } from '../table.ts';

const SHOWN_ONCE = 'The secret is shown this once; only its hash is kept.';
/** Lifts an override: the key has the tier it would have had. */
const NO_OVERRIDE = 'default';

export function registerKey(host: CommandHost): void {
  const key = host.program.command('key').description('API keys of firms');
  registerCreate(key, host);
  registerList(key, host);
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
}

function registerCreate(key: Command, { config, json }: CommandHost): void {
  key
    .command('create')
    .description('make a key; its secret is printed once')
    .requiredOption('--firm <id>', 'the firm it is for')
    .requiredOption('--name <name>', 'what the firm calls it')
    .addOption(required(choice('--environment <environment>', 'whose clients it may read', ENVIRONMENTS)))
    .addOption(required(scopesOption()))
    .addOption(expiresOption())
    .action(({ firm, name, environment, scopes, expires }: CreateOptions) =>
      withDatabase(config(), async (database) => {
        const most = config().maxKeysPerFirm;
        const secret = makeKeySecret(environment);
        const wanted = { firmId: firm, name, environment, scopes, expiresAt: expires ?? null, secret };
        const created = await createKey(database, wanted, operator(), most);
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
        const keys = await listKeys(database, { firmId: firm });
        print(json(), keys.map(keyJson), keyTable(keys));
      }),
    );
}

function registerRotate(key: Command, { config, json }: CommandHost): void {
  key
    .command('rotate <id>')
    .description('make a successor with the same settings and grants; its secret is printed once')
    .option('--overlap <duration>', 'how long the old key works on: 0s to 24h (default 1h)', parseDuration)
    .action((id: string, { overlap }: { overlap?: number }) => {
      if (overlap !== undefined && overlap > MAX_OVERLAP_MS) throw new UsageError('--overlap is 0s to 24h');
      return withDatabase(config(), async (database) => {
        const current = await findKey(database, id);
        if (current === null) throw new Refusal('resource_not_found', { message: `There is no key ${id}.` });
        const secret = makeKeySecret(current.environment);
        const most = config().maxKeysPerFirm;
        const keys = await rotateKey(database, id, { secret, overlapMs: overlap }, operator(), most);
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
    .description('end a key for good, at once')
    .action((id: string) =>
      withDatabase(config(), async (database) => {
        const revoked = await revokeKey(database, id, operator());
        print(json(), keyJson(revoked), `Key ${id} is revoked since ${revoked.revokedAt}.`);
      }),
    );
}

function registerTier(key: Command, { config, json }: CommandHost): void {
  key
    .command('tier <id> <tier>')
    .description(`override the rate limit of one key: ${TIERS.join(', ')}; ${NO_OVERRIDE} lifts the override`)
    .action((id: string, tier: string) => {
      const known = TIERS.find((name) => name === tier) ?? null;
      if (known === null && tier !== NO_OVERRIDE)
        throw new UsageError(`"${tier}" is none of ${TIERS.join(', ')}, ${NO_OVERRIDE}`);
      return withDatabase(config(), async (database) => {
        const changed = await setKeyTier(database, id, known, operator());
        print(json(), keyJson(changed), `Key ${id} has the tier ${changed.tier}.`);
      });
    });
}
