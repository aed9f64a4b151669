// Invitations that are accepted: a person is a member of one firm by one address, also where two accept at the same moment.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '#database/database.ts';
import { acceptInvitation, inviteMember, linkInvitation } from '#repositories/firms/invitations.ts';
import { removeMember } from '#repositories/firms/members.ts';
import type { Firm } from '#repositories/firms.ts';
import { makeFirm, openMigrated, operator } from '#test/repositories/parties.ts';

let database: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, close } = await openMigrated());
});
afterAll(() => close?.());

const REFUSED = { name: 'Refusal', code: 'already_exists' };
const email = 'both@example.com';

async function invited({ id }: Firm): Promise<string> {
  const invitation = await inviteMember(database, id, { email, name: 'Both', role: 'developer' }, operator);
  return (await linkInvitation(database, invitation.id))?.token ?? '';
}

const accept = (token: string) => database.transaction((sql) => acceptInvitation(sql, token, 'Both'));

it('makes a member of whoever accepts first, and refuses who was a member before and comes second', async () => {
  const [one, other] = [await makeFirm(database), await makeFirm(database)];
  const before = await accept(await invited(one));
  await removeMember(database, one.id, before.userId, operator, { unadministered: true });
  const [again, elsewhere] = [await invited(one), await invited(other)];
  const { promise: committed, resolve: commit } = Promise.withResolvers<void>();
  const { promise: accepted, resolve: note } = Promise.withResolvers<void>();
  const first = database.transaction(async (sql) => {
    await acceptInvitation(sql, elsewhere, 'Both');
    note();
    await committed;
  });
  await accepted;
  const second = expect(accept(again)).rejects.toMatchObject(REFUSED);
  const waits = async () => {
    const text = `select count(*) as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return (await database.query<{ waiting: number }>({ text }))[0]?.waiting;
  };
  await expect.poll(waits).toBe(1);
  commit();
  await first;
  await second;
  await expect(accept(again)).rejects.toMatchObject(REFUSED);
});
