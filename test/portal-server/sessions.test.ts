// A session ends at once when it is ended, and with the password, user or address that it depends on.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import type { Sql } from '#database/database.ts';
import { listPasskeys, storePasskey, usePasskey } from '#repositories/accounts/factors.ts';
import { findAccountOfUser } from '#repositories/accounts/people.ts';
import { endAllSessions } from '#repositories/accounts/sessions.ts';
import { removeMemberInTransaction } from '#repositories/firms/members.ts';
import type { Firm } from '#repositories/firms.ts';
import { createUser, type User } from '#repositories/users.ts';
import { runHere } from '#test/cli/portico.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { untilBlocked } from '#test/support/locks.ts';
import { makeFirm } from '#test/support/scenario.ts';
import { Browser, expectRefusal, type Got } from './browser.ts';
import { makeMember, makeOwner, newEmail, PASSWORD, signedIn } from './people.ts';

const operator = { kind: 'operator', id: 'test' } as const;

let gateway: TestGateway;
let user: User;
let browser: Browser;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  user = await makeOwner(gateway.database);
  browser = await signedIn(gateway.url, user);
});

async function expectSignedIn(one: Browser): Promise<void> {
  expect((await one.operation('Viewer')).status).toBe(200);
}

async function expectSignedOut(one: Browser): Promise<void> {
  for (const got of [
    await one.operation('Viewer'),
    await one.get('/portal/auth/me'),
    await one.get('/portal/auth/sessions'),
    await one.get('/portal/access-record.csv'),
    await one.post('/portal/auth/change-password', { currentPassword: PASSWORD, newPassword: 'another long password' }),
    await one.post('/portal/auth/two-factor/enable', { password: PASSWORD }),
  ])
    expectRefusal(got, 401, 'not_signed_in');
}

it('signing out ends the session, also for a copy of its cookie', async () => {
  const copy = browser.twin();
  await expectSignedIn(copy);
  expect((await browser.post('/portal/auth/sign-out')).status).toBe(200);
  expect(browser.cookies()).not.toContain('session');
  await expectSignedOut(browser);
  await expectSignedOut(copy);
});

it('signing in again on the same device ends the previous session', async () => {
  const copy = browser.twin();
  await browser.signIn(user.email, PASSWORD);
  await expectSignedOut(copy);
  await expectSignedIn(browser);
  expect((await browser.get('/portal/auth/sessions')).body.sessions).toHaveLength(1);
});

it('the sessions of an account are listed, and each can be ended from another', async () => {
  const other = await signedIn(gateway.url, user);
  const { body } = await browser.get('/portal/auth/sessions');
  expect(body.sessions).toHaveLength(2);
  expect(body.sessions.filter((one: { current: boolean }) => one.current)).toHaveLength(1);
  expect(body.sessions[0]).toMatchObject({ ip_address: '127.0.0.1', user_agent: 'Test browser', provider: null });
  expect(JSON.stringify(body)).not.toContain(decodeURIComponent(browser.cookies()).split(/[=.]/)[2]);

  const { id } = body.sessions.find((one: { current: boolean }) => !one.current);
  expect((await browser.post('/portal/auth/end-session', { id })).body).toEqual({ ended: 1 });
  await expectSignedOut(other);
  await expectSignedIn(browser);
  expectRefusal(await browser.post('/portal/auth/end-session', { id }), 404, 'resource_not_found');
});

it('the session of another account can be neither listed nor ended', async () => {
  const { body } = await browser.get('/portal/auth/sessions');
  const stranger = await makeOwner(gateway.database);
  const other = await signedIn(gateway.url, stranger);
  expectRefusal(await other.post('/portal/auth/end-session', { id: body.sessions[0].id }), 404, 'resource_not_found');
  expect((await other.get('/portal/auth/sessions')).body.sessions).toHaveLength(1);
  await expectSignedIn(browser);
});

it('signing out everywhere ends all sessions of the account', async () => {
  const others = [await signedIn(gateway.url, user), await signedIn(gateway.url, user)];
  expect((await browser.post('/portal/auth/sign-out-everywhere')).body).toEqual({ ended: 3 });
  for (const one of [browser, ...others]) await expectSignedOut(one);
});

it('user end-sessions ends all sessions of the account at once, and the password still signs in', async () => {
  const other = await signedIn(gateway.url, user);
  const outcome = await runHere({ DATABASE_URL: gateway.databaseUrl }, 'user', 'end-sessions', user.email, '--json');
  expect(outcome.code, outcome.stderr).toBe(0);
  expect(JSON.parse(outcome.stdout)).toEqual({ email: user.email, ended: 2 });
  for (const one of [browser, other]) await expectSignedOut(one);
  const recorded = await gateway.database.query({
    text: `select e.actor, e.action, e.details from account_events e
      join portal_accounts a on a.id = e.account_id where a.email = $1`,
    values: [user.email],
  });
  expect(recorded).toEqual([
    { actor: expect.stringMatching(/^operator:./), action: 'sessions_ended', details: { sessions: 2 } },
  ]);
  await expectSignedIn(await signedIn(gateway.url, user));
});

it('a new password ends the other sessions, and the old password is refused', async () => {
  const other = await signedIn(gateway.url, user);
  const change = (currentPassword: string, newPassword: string) =>
    browser.post('/portal/auth/change-password', { currentPassword, newPassword });
  expectRefusal(await change('not my password', 'another long password'), 400, 'wrong_password');
  expectRefusal(await change(PASSWORD, 'short'), 400, 'invalid_parameter');
  expectRefusal(await change(PASSWORD, 'x'.repeat(129)), 400, 'invalid_parameter');
  await expectSignedIn(other);
  expect((await change(PASSWORD, 'another long password')).status).toBe(200);
  await expectSignedIn(browser);
  await expectSignedOut(other);
  const again = new Browser(gateway.url);
  const old = await again.post('/portal/auth/sign-in/email', { email: user.email, password: PASSWORD });
  expectRefusal(old, 401, 'invalid_credentials');
  await again.signIn(user.email, 'another long password');
});

it('of two concurrent changes of the password in one session, the later one is refused', async () => {
  const passwords = ['one new password', 'another new password'];
  const { begun } = await gateway.database.transaction(async (sql) => {
    await sql.query({ text: 'select from portal_accounts where email = $1 for update', values: [user.email] });
    const begun = Promise.all(
      passwords.map((newPassword) =>
        browser.twin().post('/portal/auth/change-password', { currentPassword: PASSWORD, newPassword }),
      ),
    );
    await untilBlocked(gateway.database, 2);
    return { begun };
  });
  const got = await begun;
  expect(got.map(({ status }) => status).sort()).toEqual([200, 400]);
  const refused = got.findIndex(({ status }) => status === 400);
  expectRefusal(got[refused] as Got, 400, 'wrong_password');
  await new Browser(gateway.url).signIn(user.email, passwords[1 - refused] ?? '');
});

describe('an act that ends all sessions of an account', () => {
  const run = (text: string) => (sql: Sql, accountId: string) => sql.query({ text, values: [accountId] });
  const ACTS: Record<string, (sql: Sql, accountId: string) => Promise<unknown>> = {
    'a new password': run(`update portal_credentials set password_hash = 'another' where account_id = $1`),
    'the deletion of the password': run('delete from portal_credentials where account_id = $1'),
    'signing out everywhere': endAllSessions,
  };
  let accountId: string;
  beforeEach(async () => {
    accountId = (await findAccountOfUser(gateway.database, user.id))?.id ?? '';
  });

  /** Begins something that waits for the lock on the account's row, and acts before it gets the lock. */
  const meanwhile = <Got>(begin: () => Promise<Got>, act: (sql: Sql, accountId: string) => Promise<unknown>) =>
    gateway.database.transaction(async (sql) => {
      await sql.query({ text: 'select from portal_accounts where id = $1 for update', values: [accountId] });
      const begun = begin();
      await untilBlocked(gateway.database);
      await act(sql, accountId);
      return { begun };
    });

  it.each(Object.entries(ACTS))('also ends a session that is about to be stored: %s', async (_, act) => {
    const late = new Browser(gateway.url);
    const signIn = () => late.post('/portal/auth/sign-in/email', { email: user.email, password: PASSWORD });
    const { begun } = await meanwhile(signIn, act);
    expectRefusal(await begun, 401, 'not_signed_in');
    await expectSignedOut(late);
    await expectSignedOut(browser);
  });

  it('ends the sign-ins that have verified a password and wait for the second factor', async () => {
    const store = (epoch: number) =>
      gateway.database.query({
        text: `insert into portal_verifications (id, lookup_key, held_value, expires_at, session_epoch)
          values ($1, $1, $2, now() + interval '1 hour', $3)`,
        values: [newId('verification'), accountId, epoch],
      });
    const { sessionEpoch = 0 } = (await findAccountOfUser(gateway.database, user.id)) ?? {};
    await store(sessionEpoch);
    await endAllSessions(gateway.database, accountId);
    const left = { text: 'select from portal_verifications where held_value = $1', values: [accountId] };
    expect(await gateway.database.query(left)).toEqual([]);
    await expect(store(sessionEpoch)).rejects.toMatchObject({ code: 'PSE01' });
  });

  const addPasskey = (sessionId: string) => {
    const [id, credentialId] = [newId('passkey'), newId('passkey')];
    const key = { credentialId, publicKey: Buffer.from('key'), counter: 0, transports: ['usb'] };
    return storePasskey(gateway.database, sessionId, { id, accountId, name: 'Key', synced: false, ...key });
  };

  it('prevents a passkey that one of the sessions is about to add', async () => {
    const text = 'select id from portal_sessions where account_id = $1';
    const [session] = await gateway.database.query<{ id: string }>({ text, values: [accountId] });
    const stranger = await makeOwner(gateway.database);
    await new Browser(gateway.url).signIn(stranger.email, PASSWORD);
    const [other] = await gateway.database.query<{ id: string }>({
      text: 'select id from portal_sessions where acting_user_id = $1',
      values: [stranger.id],
    });
    expect(await addPasskey(session?.id ?? '')).toBe(true);
    expect(await addPasskey(other?.id ?? '')).toBe(false);
    const { begun } = await gateway.database.transaction(async (sql) => {
      await endAllSessions(sql, accountId);
      const begun = addPasskey(session?.id ?? '');
      await untilBlocked(gateway.database);
      return { begun };
    });
    expect(await begun).toBe(false);
  });

  it('does not deadlock with a passkey that is being added, if the account is locked before', async () => {
    const [session] = await gateway.database.query<{ id: string }>({
      text: 'select id from portal_sessions where account_id = $1',
      values: [accountId],
    });
    const { begun } = await meanwhile(() => addPasskey(session?.id ?? ''), endAllSessions);
    expect(await begun).toBe(false);
  });
});

describe('a passkey', () => {
  const store = async (of: User): Promise<string> => {
    const account = await findAccountOfUser(gateway.database, of.id);
    const [session] = await gateway.database.query<{ id: string }>({
      text: 'select id from portal_sessions where account_id = $1 limit 1',
      values: [account?.id],
    });
    const id = newId('passkey');
    const key = { credentialId: id, publicKey: Buffer.from('key'), counter: 0, transports: ['usb'] };
    const passkey = { ...key, id, accountId: account?.id ?? '', name: 'Key', synced: false };
    expect(await storePasskey(gateway.database, session?.id ?? '', passkey)).toBe(true);
    return id;
  };
  const remove = (id: string) => browser.post('/portal/auth/remove-passkey', { id, password: PASSWORD });

  it('is removed by its person alone, which ends the other sessions', async () => {
    const [second, stranger] = [await signedIn(gateway.url, user), await makeOwner(gateway.database)];
    await new Browser(gateway.url).signIn(stranger.email, PASSWORD);
    const [own, others] = [await store(user), await store(stranger)];
    expectRefusal(await remove(others), 404, 'resource_not_found');
    await expectSignedIn(second);
    expect((await remove(own)).status).toBe(200);
    await expectSignedOut(second);
    await expectSignedIn(browser);
    const left = await gateway.database.query<{ id: string }>({
      text: 'select id from portal_passkeys where id = any($1)',
      values: [[own, others]],
    });
    expect(left.map(({ id }) => id)).toEqual([others]);
  });

  it('is used with a counter once, even concurrently, unless its device does not count, and not once it is removed', async () => {
    const id = await store(user);
    const uses = (counter: number) =>
      Promise.all([usePasskey(gateway.database, id, counter), usePasskey(gateway.database, id, counter)]);
    expect(await uses(0)).toEqual([true, true]);
    expect((await uses(5)).sort()).toEqual([false, true]);
    for (const counter of [5, 4, 0]) expect(await uses(counter)).toEqual([false, false]);
    await remove(id);
    expect(await uses(6)).toEqual([false, false]);
  });

  it('can be added up to twenty times', async () => {
    const begin = () => browser.post('/portal/auth/passkey/begin-adding', { password: PASSWORD });
    for (let count = 0; count < 19; count++) await store(user);
    expect((await begin()).status).toBe(200);
    await store(user);
    expectRefusal(await begin(), 409, 'invalid_transition');
  });
});

it('a user who is deleted or whose address changes is signed out at once', async () => {
  await gateway.database.query({ text: 'update users set email = $2 where id = $1', values: [user.id, newEmail()] });
  await expectSignedOut(browser);
  await gateway.database.query({ text: 'update users set email = $2 where id = $1', values: [user.id, user.email] });
  await expectSignedIn(browser);
  await gateway.database.query({ text: 'delete from users where id = $1', values: [user.id] });
  await expectSignedOut(browser);
});

describe('an address that passes to another user', () => {
  const give = (to: User, email: string) =>
    gateway.database.query({ text: 'update users set email = $2 where id = $1', values: [to.id, email] });
  const signIn = (email: string) =>
    new Browser(gateway.url).post('/portal/auth/sign-in/email', { email, password: PASSWORD });

  it.each([
    ['a new user', () => makeUser(user.email)],
    ['a user who had another address', async () => give(await makeUser(newEmail()), user.email)],
  ])('is not opened by the former password or session any more: to %s', async (_, pass) => {
    const { email } = user;
    await give(user, newEmail());
    await pass();
    expectRefusal(await signIn(email), 401, 'invalid_credentials');
    await expectSignedOut(browser);
  });

  it('is not opened by either password any more if two users swap theirs', async () => {
    const sandbox = await makeOwner(gateway.database, newEmail(), 'sandbox');
    await gateway.database.query({
      text: `update users u set email = case u.id when $1 then $4 else $3 end where u.id in ($1, $2)`,
      values: [user.id, sandbox.id, user.email, sandbox.email],
    });
    for (const email of [user.email, sandbox.email]) expectRefusal(await signIn(email), 401, 'invalid_credentials');
  });

  it('is still opened by the password if another user has had the same address all along', async () => {
    const member = await createUser(gateway.database, {
      ...{ role: 'firm_member', email: user.email, name: 'Same person', firmId: (await makeFirm(gateway.database)).id },
    });
    await give(user, newEmail());
    await makeUser(user.email);
    expect((await signIn(member.email)).status).toBe(200);
  });

  describe('whose former user was removed', () => {
    let member: User;
    let firm: Firm;

    beforeEach(async () => {
      firm = await makeFirm(gateway.database);
      member = await makeMember(gateway.database, firm);
    });

    const remove = () =>
      removeMemberInTransaction(gateway.database, firm.id, member.id, operator, { unadministered: true });

    async function addPasskey(): Promise<string> {
      const { id: accountId } = (await findAccountOfUser(gateway.database, member.id)) as { id: string };
      await gateway.database.query({
        text: `insert into portal_passkeys (id, account_id, name, credential_id, public_key) values ($1, $2, 'Key', $1, '')`,
        values: [newId('passkey'), accountId],
      });
      return accountId;
    }

    const passkeys = async (accountId: string) => (await listPasskeys(gateway.database, accountId)).length;

    /** Whether the former credentials still open the address. */
    async function opens(accountId: string): Promise<{ password: boolean; passkeys: number }> {
      const { status } = await signIn(member.email);
      return { password: status === 200, passkeys: await passkeys(accountId) };
    }

    it.each([
      ['a client', () => makeUser(member.email)],
      [
        'a member of another firm',
        async () => {
          const { id } = await makeFirm(gateway.database);
          await createUser(gateway.database, {
            ...{ role: 'firm_member', email: member.email, name: 'Another', firmId: id },
          });
        },
      ],
      ['a user who had another address', async () => give(await makeUser(newEmail()), member.email)],
      ['the same user, made a member again', () => reinstate()],
    ])('is not opened by the former credentials any more: to %s', async (_, pass) => {
      const accountId = await addPasskey();
      await remove();
      expect(await passkeys(accountId)).toBe(1);
      await pass();
      expect(await opens(accountId)).toEqual({ password: false, passkeys: 0 });
    });

    it.each([
      ['a client of another environment', () => makeUser(member.email, 'sandbox')],
      ['the same user, made a member again', () => reinstate()],
    ])('is still opened by them if the same person is also a client: to %s', async (_, pass) => {
      await makeUser(member.email);
      const accountId = await addPasskey();
      await remove();
      await pass();
      expect(await opens(accountId)).toEqual({ password: true, passkeys: 1 });
    });

    const reinstate = () =>
      gateway.database.query({ text: 'update users set removed_at = null where id = $1', values: [member.id] });
  });

  const makeUser = (email: string, environment: 'production' | 'sandbox' = 'production') =>
    createUser(gateway.database, {
      ...{ role: 'client', email, name: 'Another', environment, reportingCurrency: 'USD' },
    });
});

it('a member who is moved to another firm acts for that one from the next request on', async () => {
  const [firm, other] = [await makeFirm(gateway.database), await makeFirm(gateway.database)];
  const member = await makeMember(gateway.database, firm);
  const one = await signedIn(gateway.url, member);
  expect((await one.operation('Viewer')).body.data.firm.id).toBe(firm.id);
  await gateway.database.query({ text: 'update users set firm_id = $2 where id = $1', values: [member.id, other.id] });
  expect((await one.operation('Viewer')).body.data.firm.id).toBe(other.id);
});

const sessionRow = async () => {
  const [row] = await gateway.database.query<{ expires_at: string; left: number }>({
    text: `select expires_at, extract(epoch from expires_at - now())::float8 as left
      from portal_sessions where acting_user_id = $1`,
    values: [user.id],
  });
  return row;
};

const age = (column: string, by: string) =>
  gateway.database.query({
    text: `update portal_sessions set ${column} = ${column} - $2::interval where acting_user_id = $1`,
    values: [user.id, by],
  });

it('a session ends after 12 hours without use, and use prolongs it', async () => {
  expect((await sessionRow())?.left).toBeGreaterThan(12 * 3600 - 60);
  await age('expires_at', '11 hours');
  expect((await sessionRow())?.left).toBeLessThan(3_700);
  const { headers } = await browser.operation('Viewer');
  expect(headers.getSetCookie()[0]).toContain('Max-Age=43200');
  expect((await sessionRow())?.left).toBeGreaterThan(12 * 3600 - 60);
  await age('expires_at', '13 hours');
  await expectSignedOut(browser);
});

it('a session ends after seven days, however much it is used', async () => {
  await age('created_at', '6 days 23 hours');
  await age('expires_at', '11 hours');
  await expectSignedIn(browser);
  expect((await sessionRow())?.left).toBeLessThan(3_700);
  await age('created_at', '2 hours');
  await age('expires_at', '1 minute');
  await expectSignedOut(browser);
});
