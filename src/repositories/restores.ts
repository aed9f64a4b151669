// Repositories: the database's place, whether an operator has confirmed it, and the access that it holds.
import type { Sql } from '#database/database.ts';
import { requireTriggers } from '#database/migrate.ts';
import { GRANT_ACTIVE, GRANT_KEY, KEY_ACTIVE } from './status-sql.ts';

export interface DatabasePlace {
  /** Id of the deployment, also in its revocation journals. */
  deploymentId: string;
  /** The present cluster, timeline and database. */
  present: string;
  /** The place when an operator last confirmed it. */
  confirmed: string;
}

/** Fails on a database that is not migrated, and on a standby. */
export async function readPlace(sql: Sql): Promise<DatabasePlace> {
  const text = `select id as "deploymentId", place as confirmed, database_place() as present from deployment`;
  const [row] = await sql.query<DatabasePlace>({ text });
  if (row === undefined) throw new Error('the table deployment is empty: the database was not migrated');
  return row;
}

/** Locks the deployment until the transaction ends, so that only one process repeats revocations. */
export async function lockDeployment(sql: Sql): Promise<void> {
  await sql.query({ text: 'select from deployment for update' });
}

/**
 * Confirms the database's present place. Voids all cached state: partners synchronise in full, once. Throws PlainError
 * if triggers are missing.
 */
export async function confirmPlace(sql: Sql): Promise<void> {
  await requireTriggers(sql);
  await sql.query({ text: 'select confirm_place()' });
}

/**
 * Ends every session of the portal, and voids links that were sent out, except those of invitations. Returns how many
 * sessions there were.
 */
export async function endEverySession(sql: Sql): Promise<number> {
  await sql.query({ text: 'delete from portal_verifications' });
  return (await sql.query({ text: 'delete from portal_sessions returning id' })).length;
}

const TOKEN_ACTIVE = 'revoked_at is null and (expires_at is null or expires_at > now_ms())';

/** What gives access, by its name in the output of `restore` and in that order; nothing that has ended. */
const ACCESS = {
  keys: `select k.id, k.firm_id, k.name, k.allowed_networks::text[] as allowed_networks, k.last_used_at
    from api_keys k where ${KEY_ACTIVE} order by k.created_at, k.id`,
  grants: `select g.id, k.id as key_id, g.client_id from grants g ${GRANT_KEY}
    where ${GRANT_ACTIVE} order by g.created_at desc, g.id desc`,
  service_tokens: `select id, role from service_tokens where ${TOKEN_ACTIVE} order by id`,
  plant_tokens: `select id, account_id as account from plant_tokens where ${TOKEN_ACTIVE} order by id`,
  users: `select id, email, role, firm_id, firm_role from users
    where role <> 'client' and removed_at is null order by firm_id nulls first, id`,
  passkeys: `select a.email, count(*)::int as passkeys
    from portal_passkeys p join portal_accounts a on a.id = p.account_id group by a.id order by a.id`,
  invitations: `select id, firm_id, email, role, expires_at from firm_invitations
    where ended_at is null and expires_at > now_ms() order by created_at, id`,
  sessions: `select s.id, a.email, s.created_at from portal_sessions s join portal_accounts a on a.id = s.account_id
    where s.expires_at > now() order by s.created_at, s.id`,
};

type AccessRow = Record<string, string | number | string[] | null>;

/** Everything that gives access, for an operator to look at: rows by kind. */
export async function listAccess(sql: Sql): Promise<Record<string, AccessRow[]>> {
  const access: Record<string, AccessRow[]> = {};
  for (const [kind, text] of Object.entries(ACCESS)) access[kind] = await sql.query<AccessRow>({ text });
  return access;
}
