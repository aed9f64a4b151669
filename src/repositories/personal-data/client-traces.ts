// Repositories: data held on a client, counted and deleted for an erasure. Data with entries in the ledger comes last.
import { addressDigest } from '#core/address-digest.ts';
import type { Sql, Transactions } from '#database/database.ts';
import { findRow, readColumn, readRow } from '#database/rows.ts';
import { lockAccounts } from '../accounts/account-lock.ts';
import { lockImports } from '../import-lock.ts';
import { erasedEmail, GRANT_ACTIVE, GRANT_KEY } from '../status-sql.ts';
import type { UserRole } from '../users.ts';

/** How many rows of each kind the database holds on a client. */
export type TraceCounts = Record<string, number>;

const OF_ITEMS = (table: string) =>
  `select count(*) from ${table} t join items i on i.id = t.item_id where i.client_id = $1`;

const COUNTED: Readonly<Record<string, string>> = {
  items: 'select count(*) from items where client_id = $1',
  collections: 'select count(*) from collections where client_id = $1',
  valuations: OF_ITEMS('valuations'),
  documents: OF_ITEMS('documents'),
  share_links: OF_ITEMS('share_links'),
  grants: 'select count(*) from grants where client_id = $1',
  grant_events: 'select count(*) from grant_events e join grants g on g.id = e.grant_id where g.client_id = $1',
  calls: 'select count(*) from access_pairs p join access_calls r on r.pair = p.number where p.client_id = $1',
};

export async function countTraces(sql: Sql, clientId: string): Promise<TraceCounts> {
  const columns = Object.entries(COUNTED).map(([name, text]) => `(${text}) as ${name}`);
  return readRow<TraceCounts>(sql, { text: `select ${columns.join(', ')}`, values: [clientId] });
}

export interface DataHolder {
  firmId: string;
  firmName: string;
  keyName: string;
  /** When the client's data was last read with the key; null if the database has no such call. */
  lastReadAt: string | null;
  /** Whether a grant is active. */
  active: boolean;
}

/** Keys that have or had access: their firms may hold copies. */
export function listHolders(sql: Sql, clientId: string): Promise<DataHolder[]> {
  const text = `select f.id as "firmId", f.name as "firmName", k.name as "keyName",
      (select max(r.at) from access_pairs p join api_keys o on o.id = p.key_id and o.lineage_id = k.lineage_id
        join access_calls r on r.pair = p.number and r.related and r.status < 400 where p.client_id = $1) as "lastReadAt",
      bool_or(${GRANT_ACTIVE}) as active
    from grants g ${GRANT_KEY} join firms f on f.id = k.firm_id
    where g.client_id = $1 and g.activated_at is not null
    group by f.id, f.name, k.id, k.lineage_id, k.name order by f.name, k.name`;
  return sql.query<DataHolder>({ text, values: [clientId] });
}

export interface ErasablePerson {
  id: string;
  role: UserRole;
  /** In lower case. */
  email: string;
  name: string;
  firmId: string | null;
  /** For a firm's member: whether the membership has ended. */
  removed: boolean;
  /**
   * The person's addresses, in lower case, that no other person here has: data stored by these is about this person
   * alone.
   */
  addresses: string[];
}

/**
 * For a statement in which `u` is a user: addresses that they had before (Migration0045AddressesPassedOn) and that no
 * other person here has or had.
 */
export const FORMER_ADDRESSES = `select a.email from portal_accounts a where u.id = any(a.former_users)
  and not exists (select from users o where o.id <> u.id and o.removed_at is null and (lower(o.email) = a.email
    or o.id = any(a.former_users) and not exists (select from erased_subjects e where e.id = o.id)))`;

/**
 * Locks the person until the transaction ends, so that no grant or request is added in the meantime. Null if there is
 * no such user.
 */
export async function lockPerson(sql: Sql, id: string): Promise<ErasablePerson | null> {
  // A running import has ended by then, and a later one skips the person.
  await lockImports(sql);
  // The firm is locked first, as for changes of its members (lockFirmFor). The reverse order could deadlock.
  await sql.query({
    text: 'select from firms where id = (select firm_id from users where id = $1) for no key update',
    values: [id],
  });
  // Accepting an invitation, to another firm too, locks it before the account and the user. The reverse order could
  // deadlock.
  const invitations = `select from firm_invitations where email in (select lower(email) from users where id = $1
    union select email from portal_accounts where $1 = any(former_users))`;
  await sql.query({ text: `${invitations} order by id for no key update`, values: [id] });
  // In the order in which a sign-in locks them: account, session, person. The reverse order could deadlock.
  const accounts = `select id from portal_accounts
    where $1 = any(former_users) or email = (select lower(email) from users where id = $1)`;
  await lockAccounts(sql, accounts, [id]);
  const sessions = `select from portal_sessions where acting_user_id = $1 or account_id in (${accounts})`;
  await sql.query({ text: `${sessions} order by id for update`, values: [id] });
  return findRow<ErasablePerson>(sql, {
    text: `select u.id, u.role, lower(u.email) as email, u.name, u.firm_id as "firmId",
        u.removed_at is not null as removed,
        -- As JSON, because parsed lists are cached (src/database/wire-types.ts).
        to_json(array(select lower(u.email) where not exists (
            select from users o where lower(o.email) = lower(u.email) and o.id <> u.id and o.removed_at is null)
          union ${FORMER_ADDRESSES})) as addresses
      from users u where u.id = $1 for update of u`,
    values: [id],
  });
}

const SAMPLED = [
  // First those that an import analyses, in its order (KINDS): another order could deadlock.
  ...['users', 'collections', 'items', 'valuations', 'documents', 'share_links', 'grants', 'notices', 'legal_holds'],
  ...['portal_accounts', 'portal_sessions', 'portal_credentials', 'portal_passkeys', 'account_events', 'person_zones'],
  ...['firm_invitations', 'firm_events', 'muted_topics', 'grant_events', 'portal_verifications', 'portal_used_codes'],
  'portal_second_factors',
];

/** Recreates the planner's statistics, which contain column values as samples. */
export async function forgetSamples(database: Transactions): Promise<void> {
  await database.transaction(forgetSamplesInTransaction, { noTimeout: true });
}

/** Like `forgetSamples`, within a transaction of the caller. */
export async function forgetSamplesInTransaction(sql: Sql): Promise<void> {
  await sql.query({ text: `analyze ${SAMPLED.join(', ')}` });
}

/** Items with their dependent rows, collections, and totals. */
export async function deletePortfolio(sql: Sql, clientId: string): Promise<void> {
  for (const table of ['items', 'collections', 'portfolio_totals'])
    await sql.query({ text: `delete from ${table} where client_id = $1`, values: [clientId] });
}

export async function deleteNoticesTo(sql: Sql, recipient: string): Promise<void> {
  await sql.query({ text: 'delete from notices where recipient = $1', values: [recipient] });
}

/**
 * Deletes the account with all data about sign-in, mails, settings and invitations, including data under former
 * addresses; `name` replaces the person's name. An account shared with another person keeps that person's data.
 */
export async function deletePerson(
  sql: Sql,
  { id, email, firmId, addresses }: ErasablePerson,
  name: string,
): Promise<void> {
  const run = (text: string, ...values: unknown[]) => sql.query({ text, values });
  const own = 'select id from portal_accounts where email = any($1)';
  const ids = await readColumn<string>(sql, { text: own, values: [addresses] });
  await run(`delete from portal_verifications where held_value in (${own})`, addresses);
  await run(`delete from account_events where account_id in (${own})`, addresses);
  await run('delete from portal_accounts where email = any($1)', addresses);
  await run('delete from notices where recipient = any($1)', ids);
  await run(
    `delete from allowances using unnest($1::text[]) digest
      where subject = 'reset:' || digest or subject like 'request:%:' || digest`,
    addresses.map(addressDigest),
  );
  // A member may have joined by an address that is no longer theirs, and a person invited by that address now is
  // somebody else.
  const invitations = `(i.email = any($4) and (i.email = $1 or i.ended_at is not null)
    or i.firm_id = $3 and (i.email = $1 or exists (
      select from firm_events j where j.subject = $5 and j.action = 'member_join' and j.firm_id = i.firm_id
        and j.details ->> 'email' = i.email and j.at >= i.created_at)))`;
  await run(
    `update firm_events e set details = e.details || jsonb_build_object('name', $2::text, 'email', ${erasedEmail('$5')})
      from firm_invitations i where ${invitations} and e.firm_id = i.firm_id and e.subject = i.id`,
    ...[email, name, firmId, addresses, id],
  );
  await run(
    `update firm_invitations i set email = ${erasedEmail('$5')}, name = $2, link_hash = null,
      ended_at = coalesce(ended_at, now_ms()), outcome = coalesce(outcome, 'withdrawn') where ${invitations}`,
    ...[email, name, firmId, addresses, id],
  );
  await run('delete from portal_sessions where acting_user_id = $1', id);
  for (const table of ['muted_topics', 'person_zones', 'legal_holds'])
    await run(`delete from ${table} where user_id = $1`, id);
  await run(
    `update firm_events set details = details || jsonb_build_object('name', $2::text)
        || case when details ? 'email' then jsonb_build_object('email', ${erasedEmail('$1')}) else '{}' end
        || case when details ? 'reason' then '{"reason": "erased"}' else '{}'::jsonb end
      where subject = $1 and details ? 'name'`,
    ...[id, name],
  );
  await run(`update users set name = $2, email = ${erasedEmail('id')} where id = $1`, id, name);
  // Notices of the change of address, and unsent ones.
  await deleteNoticesTo(sql, id);
}
