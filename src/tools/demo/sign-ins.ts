// Tools: the people of the demonstration who sign in to the portal. Their password is public.
import type { Sql } from '#database/database.ts';
import { accountOfUser, storePassword } from '#repositories/accounts/people.ts';
import { forgetNoticesOfThis } from '#repositories/notices/outbox.ts';
import { createUser, findUser } from '#repositories/users.ts';
import { BEAT, ELEANOR, IMOGEN } from './load.ts';

export const DEMO_PASSWORD = 'look-around-portico';

export interface DemoSignIn {
  user_id: string;
  email: string;
  about: string;
}

const ROSALIND = 'usr_01GTE6CQM0R7QZ4X8K2M9P5V3W';

const SIGN_INS: DemoSignIn[] = [
  {
    user_id: IMOGEN,
    email: 'imogen.hartwell@hartwell-lyle.example',
    about: 'Imogen Hartwell, of the firm: keys, access, activity',
  },
  {
    user_id: ELEANOR,
    email: 'eleanor.whitcombe@example.com',
    about: 'Eleanor Whitcombe, a client: connected apps, access record',
  },
  { user_id: BEAT, email: 'beat.zollinger@example.com', about: 'Beat Zollinger, a client in production' },
  { user_id: ROSALIND, email: 'rosalind.achebe@portico.example', about: 'Rosalind Achebe, operations: limits' },
];

/** Sets everybody's password (given as its hash) and removes second factors, to restore the original state. */
export async function giveDemoSignIns(sql: Sql, passwordHash: string): Promise<DemoSignIn[]> {
  if ((await findUser(sql, ROSALIND)) === null)
    await createUser(sql, {
      role: 'ops',
      id: ROSALIND,
      email: 'rosalind.achebe@portico.example',
      name: 'Rosalind Achebe',
    });
  for (const { user_id } of SIGN_INS) {
    const account = await accountOfUser(sql, user_id);
    if (account === null) throw new Error(`the demonstration data lack the user ${user_id}`);
    await storePassword(sql, account.id, passwordHash);
    await sql.query({ text: 'delete from portal_second_factors where account_id = $1', values: [account.id] });
    await sql.query({
      text: 'update portal_accounts set two_factor_enabled = false where id = $1',
      values: [account.id],
    });
  }
  await forgetNoticesOfThis(sql);
  return SIGN_INS;
}
