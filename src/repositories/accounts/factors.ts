// Repositories: an account's factors besides its password: passkeys, and the reset of lost factors.
import { type Actor, actorText } from '#core/actor.ts';
import { refuse } from '#core/errors.ts';
import type { Sql, Transactions } from '#database/database.ts';
import { findRow, hasRows } from '#database/rows.ts';
import { recordFirmEvent } from '../firms/firm-events.ts';
import { requireMember } from '../firms/members.ts';
import { lockFirmFor } from '../firms.ts';
import { requireReason } from '../input-checks.ts';
import { IS_MEMBER } from '../status-sql.ts';
import { endAllSessions, type OwnSession, preserveSession } from './sessions.ts';

export interface Passkey {
  id: string;
  /** Chosen by the person. */
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
  /** Whether a service synchronises it to other devices. */
  synced: boolean;
}

/** Oldest first. */
export function listPasskeys(sql: Sql, accountId: string): Promise<Passkey[]> {
  const text = `select id, name, created_at as "createdAt", last_used_at as "lastUsedAt", synced
    from portal_passkeys where account_id = $1 order by created_at, id`;
  return sql.query<Passkey>({ text, values: [accountId] });
}

/** The parts of a passkey that are needed to verify a signature. */
export interface StoredPasskey {
  id: string;
  accountId: string;
  credentialId: string;
  publicKey: Buffer;
  counter: number;
  transports: string[];
}

const STORED = `p.id, account_id as "accountId", credential_id as "credentialId", public_key as "publicKey", counter, transports`;

/** A passkey of any account, with the session epoch of that account. */
export function findPasskey(
  sql: Sql,
  credentialId: string,
): Promise<(StoredPasskey & { sessionEpoch: number }) | null> {
  const text = `select ${STORED}, a.session_epoch as "sessionEpoch"
    from portal_passkeys p join portal_accounts a on a.id = p.account_id where credential_id = $1`;
  return findRow(sql, { text, values: [credentialId] });
}

/** Passkeys of the account, so that a device is not registered twice. */
export function storedPasskeys(sql: Sql, accountId: string): Promise<StoredPasskey[]> {
  const text = `select ${STORED} from portal_passkeys p where account_id = $1`;
  return sql.query<StoredPasskey>({ text, values: [accountId] });
}

export type NewPasskey = StoredPasskey & { name: string; synced: boolean };

/** Per account. */
const MAX_PASSKEYS = 20;

/** Throws Refusal `invalid_transition` for an account that has this many passkeys and gets no more. */
export function requireFewPasskeys(count: number): void {
  if (count >= MAX_PASSKEYS)
    refuse('invalid_transition', `You already have ${MAX_PASSKEYS} passkeys, the maximum. Remove one first.`);
}

/**
 * False if the passkey is already stored, or the session that adds it has ended. Throws Refusal `invalid_transition`
 * for too many passkeys.
 */
export function storePasskey(database: Transactions, sessionId: string, passkey: NewPasskey): Promise<boolean> {
  const { id, accountId, name, credentialId, publicKey, counter, transports, synced } = passkey;
  return database.transaction(async (sql) => {
    // Locked in the order of acts that end all sessions: the account, then the session. The reverse order could
    // deadlock. Of two passkeys added at once, the second is counted after the first is committed.
    const owned = `with account as (select id from portal_accounts where id = $1 for no key update)
      select 1 from account a join portal_sessions s on s.account_id = a.id where s.id = $2 for share of s`;
    if (!(await hasRows(sql, { text: owned, values: [accountId, sessionId] }))) return false;
    requireFewPasskeys((await storedPasskeys(sql, accountId)).length);
    const text = `insert into portal_passkeys (id, account_id, name, credential_id, public_key, counter, transports, synced)
      values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing returning 1`;
    const values = [id, accountId, name, credentialId, publicKey, counter, transports, synced];
    return hasRows(sql, { text, values });
  });
}

/**
 * Records a use, with the authenticator's signature counter. False if the passkey was removed or has recorded this
 * counter or a higher one (0 means that the authenticator does not count).
 */
export function usePasskey(sql: Sql, id: string, counter: number): Promise<boolean> {
  const text = `update portal_passkeys set counter = $2, last_used_at = now_ms()
    where id = $1 and (counter < $2 or counter = 0 and $2 = 0) returning 1`;
  return hasRows(sql, { text, values: [id, counter] });
}

/** Removes the passkey, and ends all other sessions. Throws Refusal `resource_not_found` if there is no such passkey. */
export function removePasskey(database: Transactions, own: OwnSession, id: string): Promise<void> {
  return database.transaction(async (sql) => {
    await preserveSession(sql, own);
    const text = 'delete from portal_passkeys where account_id = $1 and id = $2 returning 1';
    if (!(await hasRows(sql, { text, values: [own.accountId, id] })))
      refuse('resource_not_found', 'There is no such passkey.');
    await endAllSessions(sql, own.accountId);
  });
}

/** Marks the session as begun with a second factor, which the person has just presented. */
export async function noteSecondFactor(sql: Sql, sessionId: string): Promise<void> {
  await sql.query({ text: 'update portal_sessions set with_second_factor = true where id = $1', values: [sessionId] });
}

/**
 * For a person who has lost their factors: removes authenticator app, recovery codes and passkeys, and ends all
 * sessions, so that the password alone signs in again. Recorded with the account, and with each firm of which the
 * person is a member.
 */
export function resetFactors(
  database: Transactions,
  { accountId, actor, reason }: { accountId: string; actor: Actor; reason: string },
): Promise<void> {
  return database.transaction((sql) => resetFactorsInTransaction(sql, accountId, actor, requireReason(reason)));
}

const NO_FACTOR = 'There is no second factor that could be reset.';

async function resetFactorsInTransaction(sql: Sql, accountId: string, actor: Actor, reason: string): Promise<void> {
  // Before Migration0054, turning the factor off could stop before it was deleted.
  const [factors] = await sql.query({
    text: `select 1 from portal_accounts a where a.id = $1 and (a.two_factor_enabled
      or exists (select from portal_second_factors f where f.account_id = a.id and f.verified)
      or exists (select from portal_passkeys p where p.account_id = a.id)) for update`,
    values: [accountId],
  });
  if (factors === undefined) refuse('invalid_transition', NO_FACTOR);
  for (const text of [
    'delete from portal_second_factors where account_id = $1',
    'update portal_accounts set two_factor_enabled = false where id = $1',
    'delete from portal_passkeys where account_id = $1',
  ])
    await sql.query({ text, values: [accountId] });
  await endAllSessions(sql, accountId);
  await sql.query({
    text: `insert into account_events (account_id, actor, action, details)
      values ($1, $2, 'factor_reset', jsonb_build_object('reason', $3::text))`,
    values: [accountId, actorText(actor), reason],
  });
  const members = await sql.query<{ id: string; firmId: string; name: string; email: string }>({
    text: `select m.id, m.firm_id as "firmId", m.name, m.email from users m join portal_accounts a on a.email = lower(m.email)
      where a.id = $1 and ${IS_MEMBER}`,
    values: [accountId],
  });
  for (const { id, firmId, name, email } of members) {
    const details = { name, email, reason };
    await recordFirmEvent(sql, { firmId, actor, action: 'factor_reset', subject: id, details });
  }
}

/**
 * Reset of another member's factors by an administrator. Throws Refusal `forbidden` for the administrator's own
 * account, and for an account that also opens a client's portfolio or another firm: the firm may not weaken that.
 */
export function resetMemberFactors(
  database: Transactions,
  { firmId, memberId, reason }: { firmId: string; memberId: string; reason: string },
  actor: Actor,
): Promise<void> {
  return database.transaction(async (sql) => {
    await lockFirmFor(sql, firmId, actor, 'administrator');
    const { email, authenticatorApp, passkeys } = await requireMember(sql, firmId, memberId);
    if (actor.id === memberId) refuse('forbidden', 'Your own second factor is changed on your account page.');
    // Checked first, so that the answer reveals nothing of the person's other roles if there is nothing to reset.
    if (!authenticatorApp && passkeys === 0) refuse('invalid_transition', NO_FACTOR);
    const text = `select a.id, exists (select from users u where lower(u.email) = a.email and u.removed_at is null
        and u.firm_id is distinct from $2) as elsewhere
      from portal_accounts a where a.email = lower($1)`;
    const [account] = await sql.query<{ id: string; elsewhere: boolean }>({ text, values: [email, firmId] });
    if (account?.elsewhere === true) refuse('forbidden', 'Only operations can reset the second factor of this member.');
    await resetFactorsInTransaction(sql, account?.id ?? '', actor, requireReason(reason));
  });
}
