// Repositories: access tokens of plant accounts and internal tools; only their hashes are stored.
import { refuse, refuseParameter } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import { SERVICE_ROLES, type TokenHolders, type TokenKind } from '#core/principal.ts';
import { batchedStatement, readBatched } from '#database/batched-statement.ts';
import type { Sql } from '#database/database.ts';
import { readRow } from '#database/rows.ts';
import { requireFuture, requireName } from '../input-checks.ts';

export interface Token<Kind extends TokenKind> {
  id: string;
  holder: TokenHolders[Kind];
  status: 'active' | 'expired' | 'revoked';
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
}

interface NewToken<Kind extends TokenKind> {
  holder: TokenHolders[Kind];
  /** SHA-256 of the token. */
  hash: Buffer;
  /** RFC 3339; null for never. */
  expiresAt: string | null;
}

const HOLDER: Readonly<Record<TokenKind, string>> = { plant: 'account_id', service: 'role' };

const columns = (kind: TokenKind) => `id, ${HOLDER[kind]} as holder, created_at as "createdAt",
  expires_at as "expiresAt", revoked_at as "revokedAt",
  case when revoked_at is not null then 'revoked' when expires_at <= now_ms() then 'expired' else 'active' end as status`;

/** A plant account is created with its first token. */
export async function createToken<Kind extends TokenKind>(
  sql: Sql,
  kind: Kind,
  { holder, hash, expiresAt }: NewToken<Kind>,
): Promise<Token<Kind>> {
  if (kind === 'plant') requireName(holder, 'account');
  else if (!(SERVICE_ROLES as readonly string[]).includes(holder))
    refuseParameter('role', `Roles are ${SERVICE_ROLES.join(', ')}.`);
  await requireFuture(sql, expiresAt);
  const account = 'with account as (insert into plant_accounts (id) values ($2) on conflict do nothing)';
  const text = `${kind === 'plant' ? account : ''}
    insert into ${kind}_tokens (id, ${HOLDER[kind]}, token_hash, expires_at) values ($1, $2, $3, $4)
    returning ${columns(kind)}`;
  return readRow<Token<Kind>>(sql, { text, values: [newId(`${kind}_token`), holder, hash, expiresAt] });
}

export function listTokens<Kind extends TokenKind>(sql: Sql, kind: Kind): Promise<Token<Kind>[]> {
  return sql.query<Token<Kind>>({ text: `select ${columns(kind)} from ${kind}_tokens order by id` });
}

/** Final and immediate; revoking a revoked token changes nothing. */
export async function revokeToken<Kind extends TokenKind>(sql: Sql, kind: Kind, id: string): Promise<Token<Kind>> {
  const text = `update ${kind}_tokens set revoked_at = coalesce(revoked_at, now_ms()) where id = $1
    returning ${columns(kind)}`;
  const [revoked] = await sql.query<Token<Kind>>({ text, values: [id] });
  return revoked ?? refuse('resource_not_found', `There is no ${kind} token ${id}.`);
}

/** Ends the access like a revocation, without leaving a row: for tokens of one command. */
export async function deleteServiceToken(sql: Sql, id: string): Promise<void> {
  await sql.query({ text: 'delete from service_tokens where id = $1', values: [id] });
}

const byHash = (kind: TokenKind) =>
  batchedStatement(
    `${kind} token`,
    { token_hash: 'bytea' },
    (asked) => `
with asked as (${asked})
select a.n, t.id, t.${HOLDER[kind]} as holder from asked a join ${kind}_tokens t on t.token_hash = a.token_hash
where t.revoked_at is null and (t.expires_at is null or t.expires_at > now())`,
  );
const BY_HASH = { plant: byHash('plant'), service: byHash('service') };

/** Valid tokens in the order of the hashes; null for an unknown one. */
export function findTokens<Kind extends TokenKind>(
  sql: Sql,
  kind: Kind,
  hashes: readonly Buffer[],
): Promise<(Pick<Token<Kind>, 'id' | 'holder'> | null)[]> {
  return readBatched(
    sql,
    BY_HASH[kind],
    hashes,
    (hash) => [hash],
    ({ id, holder }) => ({ id, holder }),
  );
}
