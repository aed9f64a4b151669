// Repositories: sessions of the portal's accounts, listed and ended.
import { type Actor, actorText } from '#core/actor.ts';
import { Refusal } from '#core/errors.ts';
import type { Sql, Transactions } from '#database/database.ts';
import { findValue, hasRows } from '#database/rows.ts';
import { deleteUnlocked } from '../delete-unlocked.ts';

export interface PortalSession {
  id: string;
  createdAt: string;
  /** Exact to a quarter of an hour. */
  lastSeenAt: string;
  ipAddress: string | null;
  userAgent: string | null;
  /** OpenID provider that vouched for the person; null for a password. */
  provider: string | null;
}

/**
 * The sessions of an account; if the caller signed in through a provider, only those through that provider, since it
 * speaks for a firm and not for the person.
 */
export interface SessionOwner {
  accountId: string;
  provider: string | null;
}

const OWN = 'account_id = $1 and ($2::text is null or provider = $2)';

/** Unexpired sessions, last used first. */
export function listSessions(sql: Sql, { accountId, provider }: SessionOwner): Promise<PortalSession[]> {
  const text = `select id, created_at as "createdAt", updated_at as "lastSeenAt", ip_address as "ipAddress",
      user_agent as "userAgent", provider
    from portal_sessions where ${OWN} and expires_at > now() order by updated_at desc, id desc`;
  return sql.query<PortalSession>({ text, values: [accountId, provider] });
}

/** Ends one of these sessions, or all of them if `id` is null. Returns how many were ended. */
export async function endSessions(sql: Sql, { accountId, provider }: SessionOwner, id: string | null): Promise<number> {
  const text = `delete from portal_sessions where ${OWN} and ($3::text is null or id = $3) returning id`;
  const ended = await sql.query({ text, values: [accountId, provider, id] });
  return ended.length;
}

/**
 * Ends all sessions of an account except one kept by `preserveSession`, and voids pending confirmations, including
 * those that are just being stored. Returns how many sessions there were.
 */
export async function endAllSessions(sql: Sql, accountId: string): Promise<number> {
  const text = `update portal_accounts a set session_epoch = session_epoch + 1 where id = $1
    returning (select count(*)::int from portal_sessions s where s.account_id = a.id) as sessions`;
  const ended = await findValue<number>(sql, { text, values: [accountId] });
  return ended ?? 0;
}

/** The same by somebody else than the person, on record with the account. */
export function endSessionsOf(database: Transactions, accountId: string, actor: Actor): Promise<number> {
  return database.transaction(async (sql) => {
    const ended = await endAllSessions(sql, accountId);
    // An erasure may have deleted the account meanwhile.
    const text = `insert into account_events (account_id, actor, action, details)
      select id, $2, 'sessions_ended', jsonb_build_object('sessions', $3::integer) from portal_accounts where id = $1`;
    await sql.query({ text, values: [accountId, actorText(actor), ended] });
    return ended;
  });
}

/** The session of the caller. */
export interface OwnSession {
  accountId: string;
  sessionId: string;
}

/**
 * Keeps this session alive in a transaction that goes on to raise the account's epoch. Throws Refusal `not_signed_in`
 * if the session has ended.
 */
export async function preserveSession(sql: Sql, { accountId, sessionId }: OwnSession): Promise<void> {
  const text = `with account as (select id, session_epoch from portal_accounts where id = $1 for no key update)
    update portal_sessions s set session_epoch = a.session_epoch + 1 from account a
    where s.id = $2 and s.account_id = a.id returning 1`;
  if (!(await hasRows(sql, { text, values: [accountId, sessionId] }))) throw new Refusal('not_signed_in');
}

/** Lets the session act as another user. The caller has checked that it may. */
export async function actAs(sql: Sql, sessionId: string, userId: string): Promise<void> {
  const text = 'update portal_sessions set acting_user_id = $2 where id = $1';
  await sql.query({ text, values: [sessionId, userId] });
}

/** Which of these users the account acted as last; null if none. */
export function lastActedAs(sql: Sql, accountId: string, userIds: readonly string[]): Promise<string | null> {
  const text = `select acting_user_id as id from portal_sessions where account_id = $1 and acting_user_id = any($2)
    order by updated_at desc limit 1`;
  return findValue(sql, { text, values: [accountId, userIds] });
}

/** Voids links that were sent to the account, and all other pending confirmations. */
export async function withdrawLinks(sql: Sql, accountId: string): Promise<void> {
  await sql.query({ text: 'delete from portal_verifications where held_value = $1', values: [accountId] });
}

/** Deletes expired sessions and confirmations. */
export async function forgetExpired(sql: Sql): Promise<void> {
  await deleteUnlocked(sql, 'portal_sessions', 'where expires_at < now()');
  await deleteUnlocked(sql, 'portal_verifications', 'where expires_at < now()');
  await deleteUnlocked(sql, 'portal_used_codes', `where used_at < now() - interval '1 hour'`);
  await deleteUnlocked(sql, 'allowances', 'where forget_after < now()');
}
