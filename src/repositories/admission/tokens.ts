// Repositories: access tokens of plant accounts and internal tools; only their hashes are stored.
import { refuse } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import type { ServiceRole } from '#core/principal.ts';
import { batchedStatement, readBatched } from '#database/batched-statement.ts';
import type { Sql } from '#database/database.ts';
import { requireFuture, requireName } from '../input-checks.ts';

export type TokenStatus = 'active' | 'expired' | 'revoked';

interface Token {
  id: string;
  status: TokenStatus;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
}

export interface PlantToken extends Token {
  accountId: string;
}

export interface ServiceToken extends Token {
  role: ServiceRole;
}

interface NewToken {
  /** SHA-256 of the token. */
  hash: Buffer;
  /** RFC 3339; null for never. */
  expiresAt: string | null;
}

const COLUMNS = `id, created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt",
  case when revoked_at is not null then 'revoked' when expires_at <= now_ms() then 'expired' else 'active' end as status`;
const PLANT_COLUMNS = `${COLUMNS}, account_id as "accountId"`;
const SERVICE_COLUMNS = `${COLUMNS}, role`;

/** The account is created with its first token. */
export async function createPlantToken(sql: Sql, token: NewToken & { accountId: string }): Promise<PlantToken> {
  const accountId = requireName(token.accountId, 'account');
  await requireFuture(sql, token.expiresAt);
  const text = `with account as (insert into plant_accounts (id) values ($2) on conflict do nothing)
    insert into plant_tokens (id, account_id, token_hash, expires_at) values ($1, $2, $3, $4)
    returning ${PLANT_COLUMNS}`;
  const values = [newId('plant_token'), accountId, token.hash, token.expiresAt];
  const [created] = await sql.query<PlantToken>({ text, values });
  return created as PlantToken;
}

export async function createServiceToken(sql: Sql, token: NewToken & { role: ServiceRole }): Promise<ServiceToken> {
  await requireFuture(sql, token.expiresAt);
  const text = `insert into service_tokens (id, role, token_hash, expires_at) values ($1, $2, $3, $4)
    returning ${SERVICE_COLUMNS}`;
  const values = [newId('service_token'), token.role, token.hash, token.expiresAt];
  const [created] = await sql.query<ServiceToken>({ text, values });
  return created as ServiceToken;
}

/** Ends the access like a revocation, without leaving a row: for tokens of one command. */
export async function deleteServiceToken(sql: Sql, id: string): Promise<void> {
  await sql.query({ text: 'delete from service_tokens where id = $1', values: [id] });
}

const BY_HASH = batchedStatement(
  'service token',
  { token_hash: 'bytea' },
  (asked) => `
with asked as (${asked})
select a.n, t.id, t.role from asked a join service_tokens t on t.token_hash = a.token_hash
where t.revoked_at is null and (t.expires_at is null or t.expires_at > now())`,
);

/** Valid tokens of internal tools in the order of the hashes; null for an unknown one. */
export function findServiceTokens(
  sql: Sql,
  hashes: readonly Buffer[],
): Promise<({ id: string; role: ServiceRole } | null)[]> {
  return readBatched(
    sql,
    BY_HASH,
    hashes,
    (hash) => [hash],
    ({ id, role }) => ({ id, role }),
  );
}

const listing =
  <Row extends Token>(kind: 'plant' | 'service', columns: string) =>
  (sql: Sql): Promise<Row[]> =>
    sql.query<Row>({ text: `select ${columns} from ${kind}_tokens order by id` });

export const listPlantTokens = listing<PlantToken>('plant', PLANT_COLUMNS);
export const listServiceTokens = listing<ServiceToken>('service', SERVICE_COLUMNS);

/** Final and immediate; revoking a revoked token changes nothing. */
const revoking =
  <Row extends Token>(kind: 'plant' | 'service', columns: string) =>
  async (sql: Sql, id: string): Promise<Row> => {
    const text = `update ${kind}_tokens set revoked_at = coalesce(revoked_at, now_ms()) where id = $1 returning ${columns}`;
    const [revoked] = await sql.query<Row>({ text, values: [id] });
    return revoked ?? refuse('resource_not_found', `There is no ${kind} token ${id}.`);
  };

export const revokePlantToken = revoking<PlantToken>('plant', PLANT_COLUMNS);
export const revokeServiceToken = revoking<ServiceToken>('service', SERVICE_COLUMNS);
