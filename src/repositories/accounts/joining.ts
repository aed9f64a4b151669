// Repositories: a person accepts an invitation: member and, where they have none yet, account and password in one transaction.
import type { Transactions } from '#database/database.ts';
import { acceptInvitation } from '../firms/invitations.ts';
import { accountOfUser, storePassword } from './people.ts';

export interface Joining {
  token: string;
  name: string;
  /** Of the password they chose; null where they have one, or sign in through their firm's provider. */
  passwordHash: string | null;
}

export function joinFirm(database: Transactions, { token, name, passwordHash }: Joining): Promise<void> {
  return database.transaction(async (sql) => {
    const { userId } = await acceptInvitation(sql, token, name);
    if (passwordHash === null) return;
    const account = await accountOfUser(sql, userId);
    // One that was set meanwhile stays.
    if (account !== null && !account.hasPassword) await storePassword(sql, account.id, passwordHash);
  });
}
