// Repositories: accepts an invitation: creates the member and, if needed, the account and its password in one
// transaction.
import type { Transactions } from '#database/database.ts';
import { acceptInvitation } from '../firms/invitations.ts';
import { accountOfUser, storePassword } from './people.ts';

export interface Joining {
  token: string;
  name: string;
  /** Hash of the chosen password; null if the person has one already or signs in through the firm's provider. */
  passwordHash: string | null;
}

export function joinFirm(database: Transactions, { token, name, passwordHash }: Joining): Promise<void> {
  return database.transaction(async (sql) => {
    const { userId } = await acceptInvitation(sql, token, name);
    if (passwordHash === null) return;
    const account = await accountOfUser(sql, userId);
    // A password that was set in the meantime is kept.
    if (account !== null && !account.hasPassword) await storePassword(sql, account.id, passwordHash);
  });
}
