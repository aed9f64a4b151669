// Repositories: where the database lives, whether somebody has vouched for it there, and what it lets in.
import type { Sql } from '#database/database.ts';
import { requireTriggers } from '#database/migrate.ts';

export interface DatabasePlace {
  /** Of the deployment: its revocation journals carry it. */
  deploymentId: string;
  /** Cluster, timeline and database as they are. */
  present: string;
  /** The same as they were when somebody last vouched for the database. */
  confirmed: string;
}

/** Fails on a database that was not migrated, and on a standby. */
export async function readPlace(sql: Sql): Promise<DatabasePlace> {
  const [row] = await sql.query<DatabasePlace>({
    text: `select id as "deploymentId", place as confirmed, database_place() as present from deployment`,
  });
  if (row === undefined) throw new Error('the deployment has no settings: it was not migrated');
  return row;
}

/**
 * Vouches for the database where it is. Whatever was known of it is void: partners synchronise in full, once. Throws PlainError
 * where it lacks triggers.
 */
export async function confirmPlace(sql: Sql): Promise<void> {
  await requireTriggers(sql);
  await sql.query({ text: 'select confirm_place()' });
}

/** Ends every session of the portal, and voids the links that were sent out. Returns how many sessions there were. */
export async function endEverySession(sql: Sql): Promise<number> {
  await sql.query({ text: 'delete from portal_verifications' });
  return (await sql.query({ text: 'delete from portal_sessions returning id' })).length;
}

/** A session that lives. */
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
