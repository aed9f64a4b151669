// Command line: the output of keys: JSON, facts about a new key, and table rows.
import { scopesOf } from '#core/scopes.ts';
import type { ApiKey } from '#repositories/keys/key-queries.ts';
import { writeScopes } from './grant-options.ts';
import { snakeCased } from './host.ts';
import { table } from './table.ts';

/** Leaves out internal properties, and those that the commands for limits print. */
export const keyJson = ({ lineageId, tierOverrideEndsAt, firmLimit, shadow, scopes, ...key }: ApiKey) =>
  snakeCased({ ...key, scopes: scopesOf(scopes) });

export const keyFacts = ({ name, note, environment, scopes, tier, expiresAt, allowedNetworks }: ApiKey) => ({
  name,
  ...(note === null ? {} : { note }),
  environment,
  scopes: writeScopes(scopes),
  tier,
  expires: expiresAt ?? 'never',
  from: allowedNetworks.length === 0 ? 'anywhere' : allowedNetworks.join(', '),
});

export function keyTable(keys: ApiKey[]): string {
  const headings = ['ID', 'FIRM', 'NAME', 'KEY', 'STATUS', 'TIER', 'SCOPES', 'EXPIRES', 'LAST USED'];
  const rows = keys.map((key) => [
    ...[key.id, key.firmId, key.name, `${key.prefix}…${key.lastFour}`, key.status, key.tier],
    ...[writeScopes(key.scopes), key.expiresAt, key.lastUsedAt],
  ]);
  return table(headings, rows, 'There are no keys.');
}
