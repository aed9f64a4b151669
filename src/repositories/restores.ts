// Repositories: the database's place, whether an operator has confirmed it, and its active sessions.
import type { Sql } from '#database/database.ts';
import { requireTriggers } from '#database/migrate.ts';

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
  const [row] = await sql.query<DatabasePlace>({
    text: `select id as "deploymentId", place as confirmed, database_place() as present from deployment`,
  });
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

/** Ends every session of the portal, and voids links that were sent out. Returns how many sessions there were. */
export async function endEverySession(sql: Sql): Promise<number> {
  await sql.query({ text: 'delete from portal_verifications' });
  return (await sql.query({ text: 'delete from portal_sessions returning id' })).length;
}

/** An unexpired session. */
export interface ActiveSession {
  id: string;
  email: string;
  actingUserId: string;
  createdAt: string;
  expiresAt: string;
}

export function listActiveSessions(sql: Sql): Promise<ActiveSession[]> {
  return sql.query<ActiveSession>({
    text: `select s.id, a.email, s.acting_user_id as "actingUserId", s.created_at as "createdAt",
        s.expires_at as "expiresAt"
      from portal_sessions s join portal_accounts a on a.id = s.account_id
      where s.expires_at > now() order by s.created_at, s.id`,
  });
}
