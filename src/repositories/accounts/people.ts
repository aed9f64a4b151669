// Repositories: the users that an account may act as: those that share its e-mail address.
import { Refusal } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import type { Environment } from '#core/principal.ts';
import type { Sql, Transactions } from '#database/database.ts';
import { findRow, findValue, hasRows, readColumn } from '#database/rows.ts';
import { normaliseAddress } from '../input-checks.ts';
import type { UserRole } from '../users.ts';
import { lockAccounts } from './account-lock.ts';
import { type OwnSession, preserveSession } from './sessions.ts';

/** A user that an account may act as. */
export interface Identity {
  userId: string;
  name: string;
  role: UserRole;
  /** Set for firm members. */
  firmId: string | null;
  firmName: string | null;
  /** Set for clients. */
  environment: Environment | null;
  /** Whether the member's firm requires a second factor. */
  factorRequired: boolean;
}

/** The identities that a sign-in method opens. */
export interface IdentityFilter {
  /** An OpenID provider vouches only for members of its firm; null for a password. */
  firmId: string | null;
  /** Firms whose members may not sign in by password. */
  closedFirms: readonly string[];
}

/** All users with this e-mail address (in lower case) that the sign-in method opens, members first. */
export function identitiesOf(sql: Sql, email: string, { firmId, closedFirms }: IdentityFilter): Promise<Identity[]> {
  const text = `select u.id as "userId", u.name, u.role, u.firm_id as "firmId", f.name as "firmName", u.environment,
      coalesce(f.second_factor_required, false) as "factorRequired"
    from users u left join firms f on f.id = u.firm_id
    where lower(u.email) = $1 and u.removed_at is null
      and case when $2::text is null then u.firm_id is null or not u.firm_id = any($3::text[]) else u.firm_id = $2 end
    order by array_position(array['firm_member', 'client', 'ops'], u.role), u.environment, u.id`;
  return sql.query<Identity>({ text, values: [email, firmId, closedFirms] });
}

export interface PortalAccount {
  id: string;
  email: string;
  name: string;
  /** Whether a password was ever set. */
  hasPassword: boolean;
  secondFactor: boolean;
  /** Raised by everything that ends all sessions (Migration0043). */
  sessionEpoch: number;
}

const ACCOUNT = `a.id, a.email, a.name, a.two_factor_enabled as "secondFactor", a.session_epoch as "sessionEpoch",
  exists (select 1 from portal_credentials c where c.account_id = a.id and c.password_hash is not null) as "hasPassword"`;

/**
 * The account with this user's e-mail address, created if necessary. Null for an unknown user. Waits for a running
 * erasure, after which the address belongs to no user.
 */
export async function accountOfUser(sql: Sql, userId: string): Promise<PortalAccount | null> {
  const text = `insert into portal_accounts (id, email, name)
    select $2, lower(email), name from users where id = $1 for key share on conflict (email) do nothing`;
  await sql.query({ text, values: [userId, newId('account')] });
  return findAccountOfUser(sql, userId);
}

export function findAccountOfUser(sql: Sql, userId: string): Promise<PortalAccount | null> {
  const text = `select ${ACCOUNT} from portal_accounts a join users u on lower(u.email) = a.email where u.id = $1`;
  return findRow(sql, { text, values: [userId] });
}

export function findAccount(sql: Sql, id: string): Promise<PortalAccount | null> {
  return findRow(sql, { text: `select ${ACCOUNT} from portal_accounts a where a.id = $1`, values: [id] });
}

/** Ids of the users with this id or e-mail address. */
export function usersCalled(sql: Sql, idOrEmail: string): Promise<string[]> {
  const text = 'select id from users where id = $1 or lower(email) = lower($1) order by id';
  return readColumn(sql, { text, values: [normaliseAddress(idOrEmail)] });
}

/** The hash of the account's password; null if it has none. */
export function passwordOf(sql: Sql, accountId: string): Promise<string | null> {
  const text = `select password_hash as hash from portal_credentials where account_id = $1 and password_hash is not null`;
  return findValue(sql, { text, values: [accountId] });
}

/** Null if there is no account with this address (in any case). */
export function sessionEpoch(sql: Sql, email: string): Promise<number | null> {
  const text = 'select session_epoch as epoch from portal_accounts where email = lower($1)';
  return findValue(sql, { text, values: [normaliseAddress(email)] });
}

/**
 * Replaces the password with the hash `from`, and ends all other sessions. Throws Refusal `wrong_password` if the
 * password was changed in the meantime.
 */
export function changePassword(
  database: Transactions,
  own: OwnSession,
  { from, to }: { from: string; to: string },
): Promise<void> {
  return database.transaction(async (sql) => {
    await lockAccounts(sql, '$1', [own.accountId]);
    await preserveSession(sql, own);
    // A trigger raises the session epoch when the hash changes.
    const text = `update portal_credentials set password_hash = $3, updated_at = now_ms()
      where account_id = $1 and password_hash = $2 returning 1`;
    if (!(await hasRows(sql, { text, values: [own.accountId, from, to] }))) throw new Refusal('wrong_password');
  });
}

/** Sets or replaces the account's password. Ends all sessions. */
export async function storePassword(sql: Sql, accountId: string, hash: string): Promise<void> {
  const text = `insert into portal_credentials (id, account_id, provider, subject, password_hash)
    values ($2, $1, 'credential', $1, $3)
    on conflict (provider, subject) do update set password_hash = excluded.password_hash, updated_at = now_ms()`;
  await sql.query({ text, values: [accountId, newId('credential'), hash] });
}

/** How long a code counts as used: many times longer than any code is valid. */
const USED = `interval '5 minutes'`;

export function codeWasUsed(sql: Sql, accountId: string, code: string): Promise<boolean> {
  const text = `select from portal_used_codes where account_id = $1 and used_code = $2 and used_at > now_ms() - ${USED}`;
  return hasRows(sql, { text, values: [accountId, code] });
}

/** Marks the code as used; false if it was used already. Only one of several concurrent calls gets true. */
export function useCode(sql: Sql, accountId: string, code: string): Promise<boolean> {
  const text = `insert into portal_used_codes as u (account_id, used_code) values ($1, $2)
    on conflict (account_id, used_code) do update set used_at = now_ms() where u.used_at <= now_ms() - ${USED}
    returning 1`;
  return hasRows(sql, { text, values: [accountId, code] });
}
