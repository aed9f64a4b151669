// Acceptances of invitations: a person is a member of one firm at most by one address, also if they are concurrent.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Database, Sql } from '#database/database.ts';
import { acceptInvitation, inviteMember, linkInvitation } from '#repositories/firms/invitations.ts';
import { removeMember } from '#repositories/firms/members.ts';
import type { Firm } from '#repositories/firms.ts';
import { endFirm, lockFirmToEnd } from '#repositories/personal-data/firm-end.ts';
import { makeFirm, openMigrated, operator } from '#test/repositories/parties.ts';

let database: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, close } = await openMigrated());
});
afterAll(() => close?.());

const REFUSED = { name: 'Refusal', code: 'already_exists' };
let people = 0;
let email: string;
beforeEach(() => {
  email = `both-${++people}@example.com`;
});

/** Whether a session of the database waits for a lock. */
async function isWaiting(): Promise<boolean> {
  const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return (await database.query({ text })).length > 0;
}

async function invitationToken({ id }: Firm): Promise<string> {
  const invitation = await inviteMember(database, id, { email, name: 'Both', role: 'developer' }, operator);
  return (await linkInvitation(database, invitation.id))?.token ?? '';
}

const accept = (token: string) => database.transaction((sql) => acceptInvitation(sql, token, 'Both'));

it('of two concurrent acceptances by a former member, the first makes a member and the second is refused', async () => {
  const [one, other] = [await makeFirm(database), await makeFirm(database)];
  const before = await accept(await invitationToken(one));
  await removeMember(database, one.id, before.userId, operator);
  const [again, elsewhere] = [await invitationToken(one), await invitationToken(other)];
  const { promise: committed, resolve: commit } = Promise.withResolvers<void>();
  const { promise: accepted, resolve: note } = Promise.withResolvers<void>();
  const first = database.transaction(async (sql) => {
    await acceptInvitation(sql, elsewhere, 'Both');
    note();
    await committed;
  });
  await accepted;
  const second = expect(accept(again)).rejects.toMatchObject(REFUSED);
  await expect.poll(isWaiting).toBe(true);
  commit();
  await first;
  await second;
  await expect(accept(again)).rejects.toMatchObject(REFUSED);
});

it('the end of the firm waits for a concurrent acceptance, and then finds the new member', async () => {
  const firm = await makeFirm(database);
  const token = await invitationToken(firm);
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: resumed, resolve: resume } = Promise.withResolvers<void>();
  const pausing = (sql: Sql): Sql => ({
    query: async (statement) => {
      if (statement.text.includes('insert into users')) {
        reach();
        await resumed;
      }
      return sql.query(statement);
    },
  });
  const accepting = database.transaction((sql) => acceptInvitation(pausing(sql), token, 'Both'));
  await reached;
  const ending = database.transaction(async (sql) => {
    const found = await lockFirmToEnd(sql, firm.id);
    if (found !== null) await endFirm(sql, firm.id, operator);
    return found;
  });
  await expect.poll(isWaiting).toBe(true);
  resume();
  const [{ userId }, found] = await Promise.all([accepting, ending]);
  expect(found).toEqual([userId]);
});

it('an invitation that has expired is neither accepted nor linked again', async () => {
  const firm = await makeFirm(database);
  const token = await invitationToken(firm);
  const [{ id } = { id: '' }] = await database.query<{ id: string }>({
    text: `update firm_invitations set expires_at = now_ms() - interval '1 second' where firm_id = $1 returning id`,
    values: [firm.id],
  });
  await expect(accept(token)).rejects.toMatchObject({ name: 'Refusal', code: 'invalid_link' });
  expect(await linkInvitation(database, id)).toBeNull();
});
