// Repositories: the database's place, whether an operator has confirmed it, and the access to the portal that it holds.
import type { FirmRole } from '#core/firm-roles.ts';
import type { Sql } from '#database/database.ts';
import { requireTriggers } from '#database/migrate.ts';
import type { UserRole } from './users.ts';

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

/**
 * Ends every session of the portal, and voids links that were sent out, except those of invitations. Returns how many
 * sessions there were.
 */
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

/** A firm's member who was not removed, or a user of operations. */
export interface ActiveUser {
  id: string;
  email: string;
  role: UserRole;
  firmId: string | null;
  firmRole: FirmRole | null;
}

export function listActiveUsers(sql: Sql): Promise<ActiveUser[]> {
  return sql.query<ActiveUser>({
    text: `select id, email, role, firm_id as "firmId", firm_role as "firmRole" from users
      where role <> 'client' and removed_at is null order by firm_id nulls first, id`,
  });
}

/** How many passkeys the accounts have that have any. */
export function countPasskeys(sql: Sql): Promise<{ email: string; passkeys: number }[]> {
  return sql.query<{ email: string; passkeys: number }>({
    text: `select a.email, count(*)::int as passkeys from portal_passkeys p join portal_accounts a on a.id = p.account_id
      group by a.id order by a.id`,
  });
}

/** An invitation whose link may be used. */
export interface ActiveInvitation {
  id: string;
  firmId: string;
  email: string;
  role: FirmRole;
  expiresAt: string;
}

export function listActiveInvitations(sql: Sql): Promise<ActiveInvitation[]> {
  return sql.query<ActiveInvitation>({
    text: `select id, firm_id as "firmId", email, role, expires_at as "expiresAt" from firm_invitations
      where ended_at is null and expires_at > now_ms() order by created_at, id`,
  });
}
