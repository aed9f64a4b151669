// People who can sign in: users with an account and a password.
import { newId } from '#core/ids.ts';
import type { Database } from '#database/database.ts';
import { accountOfUser, storePassword } from '#repositories/accounts/people.ts';
import type { Firm } from '#repositories/firms.ts';
import { createUser, type NewUser, type User } from '#repositories/users.ts';
import { Browser } from './browser.ts';

export const PASSWORD = 'a long enough password';
/** At the lowest cost, with which a sign-in verifies it: at the product's, each one takes 24 ms of CPU. */
const PASSWORD_HASH = '$argon2id$v=19$m=8,t=1,p=1$dDI33rnMo82+2UKMf1ny5Q$0XZQwbz1Mk2+JuzRYKzSvnESt7iaZnUyEF3CAeb22LE';

let people = 0;

/** An address that no other user has. */
export function newEmail(): string {
  people += 1;
  return `person-${people}-${newId('user').toLowerCase()}@example.com`;
}

export const makeMember = (database: Database, firm: Firm, email = newEmail()): Promise<User> =>
  withPassword(database, { role: 'firm_member', email, name: 'Member', firmId: firm.id });

export const makeOperator = (database: Database): Promise<User> =>
  withPassword(database, { role: 'ops', email: newEmail(), name: 'Operator' });

export const makeOwner = (
  database: Database,
  email = newEmail(),
  environment: 'sandbox' | 'production' = 'production',
): Promise<User> =>
  withPassword(database, { role: 'client', email, name: 'Owner', environment, reportingCurrency: 'USD' });

async function withPassword(database: Database, wanted: NewUser): Promise<User> {
  const user = await createUser(database, wanted);
  const account = await accountOfUser(database, user.id);
  if (account === null) throw new Error('the user has no account');
  await storePassword(database, account.id, PASSWORD_HASH);
  return user;
}

/** A browser in which this person has signed in; where the second factor is on, only with the password. */
export async function signedIn(url: string, { email }: Pick<User, 'email'>): Promise<Browser> {
  const browser = new Browser(url);
  await browser.signIn(email, PASSWORD);
  return browser;
}
