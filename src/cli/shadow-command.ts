// Command line: `portico limits shadow`.
import type { Command } from 'commander';
import { TIERS, type Tier } from '#core/tiers.ts';
import type { ShadowInForce } from '#repositories/keys/limit-shadows.ts';
import { type CommandHost, print, UsageError } from './host.ts';
import { operator } from './operator.ts';
import { choice, expiresOption, occasionOf, parseReason, untilText } from './options.ts';
import { withDatabase } from './session.ts';
import { table } from './table.ts';

interface ShadowOptions {
  tier?: Tier;
  key?: string;
  off?: boolean;
  reason?: string;
  expires?: string;
}

export function registerShadow(limits: Command, { config, json }: CommandHost): void {
  limits
    .command('shadow')
    .description(
      'put the limits of a tier, or that of a key and its rotations, in shadow mode: requests above them are counted and reported, but admitted. Without options: list what is in shadow mode',
    )
    .addOption(choice('--tier <tier>', 'all keys of this tier', TIERS).conflicts('key'))
    .option('--key <id>', 'one key and its rotations')
    .option('--off', 'refuse again')
    .option('--reason <text>', 'why, for the record', parseReason)
    .addOption(expiresOption())
    .action(async (options: ShadowOptions) => {
      const change = readChange(options);
      // Imported here because the other commands about limits do not need it.
      const { listShadows, setShadow } = await import('#repositories/keys/limit-shadows.ts');
      return withDatabase(config(), async (database) => {
        if (change !== null) {
          const { target, off, ...occasion } = change;
          await setShadow(database, target, { shadowed: !off, ...occasionOf(occasion) }, operator());
        }
        const inForce = await listShadows(database);
        print(json(), inForce.map(toJson), change === null ? shadowTable(inForce) : changeText(change));
      });
    });
}

interface Change {
  target: { tier: Tier } | { keyId: string };
  off: boolean;
  reason: string;
  expires?: string;
}

/** Null if nothing is to be changed. */
function readChange({ tier, key, off = false, reason, expires }: ShadowOptions): Change | null {
  const target = tier !== undefined ? { tier } : key !== undefined ? { keyId: key } : null;
  if (target === null) {
    if (off || reason !== undefined || expires !== undefined) throw new UsageError('give --tier or --key');
    return null;
  }
  if (reason === undefined) throw new UsageError('give the --reason, for the record');
  return { target, off, reason, ...(expires === undefined ? {} : { expires }) };
}

function changeText({ target, off, expires }: Change): string {
  const what = 'tier' in target ? `The limits of the tier ${target.tier}` : `The limit of the key ${target.keyId}`;
  return `${what} ${'tier' in target ? 'are' : 'is'} ${off ? 'out of' : 'in'} shadow mode${untilText(expires)}.`;
}

const toJson = ({ tier, keyId, keyName, at, endsAt, actor, reason }: ShadowInForce) => ({
  tier,
  key_id: keyId,
  key_name: keyName,
  since: at,
  ends_at: endsAt,
  actor: actor.name,
  reason,
});

function shadowTable(shadows: ShadowInForce[]): string {
  const rows = shadows.map(({ tier, keyId, keyName, at, endsAt, actor, reason }) => [
    ...[tier === null ? `key ${keyId} (${keyName})` : `tier ${tier}`, at, endsAt ?? '', actor.name, reason],
  ]);
  return table(['LIMITS OF', 'SINCE', 'UNTIL', 'BY', 'REASON'], rows, 'No limit is in shadow mode.');
}
