// Bench: access to the data: keys with grants, and tokens.
import { makeKeySecret, makeToken } from '../src/auth/key-format.ts';
import { newId } from '../src/core/ids.ts';
import { ALL_SCOPES, type ScopeSet } from '../src/core/scopes.ts';
import type { Database } from '../src/database/database.ts';
import { createToken } from '../src/repositories/admission/tokens.ts';

const PLANT_TOKENS = 500;
const PLANTS = 100;

export interface Key {
  id: string;
  secret: string;
}

/** Production keys of the firm (its tier is Enterprise), each with an active grant from each client. */
export async function makeKeys(
  database: Database,
  firmId: string,
  count: number,
  scopes: ScopeSet,
  clientIds: readonly string[],
): Promise<Key[]> {
  const made = Array.from({ length: count }, () => ({ id: newId('key'), secret: makeKeySecret('production') }));
  await database.query({
    text: `insert into api_keys (id, lineage_id, firm_id, name, environment, scopes, secret_hash, secret_prefix,
        secret_last_four, created_by)
      select id, id, $1, 'Bench', 'production', ${ALL_SCOPES}, hash, prefix, last_four, 'bench'
      from unnest($2::text[], $3::bytea[], $4::text[], $5::text[]) as k(id, hash, prefix, last_four)`,
    values: [
      firmId,
      made.map(({ id }) => id),
      made.map(({ secret }) => secret.hash),
      made.map(({ secret }) => secret.prefix),
      made.map(({ secret }) => secret.lastFour),
    ],
  });
  const ids = made.map(({ id }) => id);
  await makeGrants(database, ids, scopes, clientIds);
  return made.map(({ id, secret }) => ({ id, secret: secret.text }));
}

/** Gives each key an active grant of all items from each client, unless it has one. */
export async function makeGrants(
  database: Database,
  keyIds: readonly string[],
  scopes: ScopeSet,
  clientIds: readonly string[],
): Promise<void> {
  const pairs = keyIds.flatMap((key) => clientIds.map((client) => [newId('grant'), key, client] as const));
  await database.query({
    text: `insert into grants (id, lineage_id, client_id, status, scopes, filter, activated_at)
      select id, key, client, 'active', $1, '{"type":"all"}', now_ms()
      from unnest($2::text[], $3::text[], $4::text[]) as g(id, key, client) on conflict do nothing`,
    values: [scopes, ...[0, 1, 2].map((column) => pairs.map((pair) => pair[column]))],
  });
}

export async function makeServiceToken(database: Database): Promise<string> {
  const { text, hash } = makeToken('service');
  await createToken(database, 'service', { holder: 'support', hash, expiresAt: null });
  return text;
}

/** One account with a hundred plants, and many tokens, since each token has its own limit. */
export async function makePlants(database: Database): Promise<string[]> {
  const tokens: string[] = [];
  for (let made = 0; made < PLANT_TOKENS; made++) {
    const { text, hash } = makeToken('plant');
    await createToken(database, 'plant', { holder: 'bench', hash, expiresAt: null });
    tokens.push(text);
  }
  await database.query({
    text: `insert into plants (account_id, id, name, tag)
      select 'bench', n, 'Plant ' || n, case when n % 2 = 0 then 'tag-' || n % 7 end from generate_series(1, $1::int) as n`,
    values: [PLANTS],
  });
  return tokens;
}
