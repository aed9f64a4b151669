// Repositories: the lock of accounts, held by acts that change an account's data or the addresses of its users.
import type { Sql } from '#database/database.ts';

/**
 * Locks these accounts until the transaction ends, given as SQL of their ids. Their passwords are locked first: a new
 * password raises its account's session epoch by a trigger, so that the reverse order could deadlock.
 */
export async function lockAccounts(sql: Sql, ids: string, values: readonly unknown[]): Promise<void> {
  for (const locked of ['portal_credentials where account_id', 'portal_accounts where id'])
    await sql.query({ text: `select from ${locked} in (${ids}) order by id for update`, values });
}

/** Those with this address: a user who gets it may end what another person had there (Migration0053). */
export const lockAccountsAt = (sql: Sql, email: string): Promise<void> =>
  lockAccounts(sql, 'select id from portal_accounts where email = lower($1)', [email]);
