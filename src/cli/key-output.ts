// Command line: how a key is shown: as JSON, as facts about a new one, as rows of a table.
import { scopesOf } from '#core/scopes.ts';
import type { ApiKey } from '#repositories/keys/key-queries.ts';
import { writeScopes } from './grant-options.ts';
import { table } from './table.ts';

export const keyJson = (key: ApiKey) => ({
  id: key.id,
  firm_id: key.firmId,
  name: key.name,
  note: key.note,
  environment: key.environment,
  scopes: scopesOf(key.scopes),
  tier: key.tier,
  tier_override: key.tierOverride,
  prefix: key.prefix,
  last_four: key.lastFour,
  status: key.status,
  created_by: key.createdBy,
  created_at: key.createdAt,
  expires_at: key.expiresAt,
  allowed_networks: key.allowedNetworks,
  last_used_at: key.lastUsedAt,
  rotated_to: key.rotatedTo,
  revoked_at: key.revokedAt,
  revoked_by: key.revokedBy,
});

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
