// What a person does while they are erased is refused as without a session, and leaves nothing behind.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eraseClient } from '#gateway/personal-data/erase.ts';
import { eraseUser } from '#gateway/personal-data/erase-user.ts';
import { setMuted } from '#repositories/notices/preferences.ts';
import type { User } from '#repositories/users.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { untilBlocked } from '#test/support/locks.ts';
import { makeFirm } from '#test/support/scenario.ts';
import { Browser, expectRefusal } from './browser.ts';
import { makeMember, makeOwner, newEmail, PASSWORD, signedIn } from './people.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

/** Starts the work once the erasure has locked the person, and returns its result. */
async function meanwhile<Result>({ id, role }: User, work: () => Promise<Result>): Promise<Result> {
  const { database } = gateway;
  const request = { id, reason: 'Asked', actor: { kind: 'operator', id: 'test' } } as const;
  const acts = await database.transaction(async (sql) => {
    // The erasure deletes from this table last but for the person.
    await sql.query({ text: 'lock table legal_holds in share mode' });
    const erasing = (role === 'client' ? eraseClient : eraseUser)(database, request, {
      portalUrl: null,
      noticeDays: 0,
    });
    await untilBlocked(database);
    const working = work();
    working.catch(() => {});
    await untilBlocked(database, 2);
    return { erasing, working };
  });
  await acts.erasing;
  return acts.working;
}

describe('a client', () => {
  it('with another environment cannot sign in as the erased one, and can as the other', async () => {
    const email = newEmail();
    const erased = await makeOwner(gateway.database, email, 'production');
    const other = await makeOwner(gateway.database, email, 'sandbox');
    const browser = new Browser(gateway.url);
    const signIn = () => browser.post('/portal/auth/sign-in/email', { email, password: PASSWORD });
    expectRefusal(await meanwhile(erased, signIn), 401, 'not_signed_in');
    expect((await signIn()).status).toBe(200);
    expect((await browser.get('/portal/auth/me')).body.acting_as).toBe(other.id);
  });

  it('cannot switch to an erased identity', async () => {
    const email = newEmail();
    const other = await makeOwner(gateway.database, email, 'production');
    const erased = await makeOwner(gateway.database, email, 'sandbox');
    const browser = await signedIn(gateway.url, other);
    const actAs = (user_id: string) => browser.post('/portal/auth/act-as', { user_id });
    expect((await actAs(other.id)).status).toBe(200);
    expectRefusal(await meanwhile(erased, () => actAs(erased.id)), 401, 'not_signed_in');
    expect((await browser.get('/portal/auth/me')).body.acting_as).toBe(other.id);
  });

  it('gets no second factor', async () => {
    const erased = await makeOwner(gateway.database);
    const browser = await signedIn(gateway.url, erased);
    const enable = () => browser.post('/portal/auth/two-factor/enable', { password: PASSWORD });
    expectRefusal(await meanwhile(erased, enable), 401, 'not_signed_in');
  });
});

it.each(['client', 'member'])('a %s mutes no topic', async (kind) => {
  const { database } = gateway;
  const firm = await makeFirm(database);
  await makeMember(database, firm);
  const erased = kind === 'client' ? await makeOwner(database) : await makeMember(database, firm);
  await meanwhile(erased, () => setMuted(database, { userId: erased.id, topic: 'answers' }, true));
  const text = 'select from muted_topics where user_id = $1';
  expect(await database.query({ text, values: [erased.id] })).toEqual([]);
});
