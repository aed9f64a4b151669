// Turning the second factor on and off: an interruption or a concurrent act leaves it either on and usable, or off.
import { type TOTP, URI } from 'otpauth';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import type { Sql } from '#database/database.ts';
import { listPasskeys, resetFactors } from '#repositories/accounts/factors.ts';
import { findAccountOfUser } from '#repositories/accounts/people.ts';
import { endAllSessions } from '#repositories/accounts/sessions.ts';
import { removeMemberInTransaction } from '#repositories/firms/members.ts';
import type { User } from '#repositories/users.ts';
import { runHere } from '#test/cli/portico.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { untilBlocked } from '#test/support/locks.ts';
import { makeFirm } from '#test/support/scenario.ts';
import { type Browser, expectRefusal } from './browser.ts';
import { makeMember, makeOwner, PASSWORD, signedIn } from './people.ts';

const ENABLE = '/portal/auth/two-factor/enable';
const VERIFY = '/portal/auth/two-factor/verify-totp';

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

async function beginSetUp(): Promise<TOTP> {
  const { status, body } = await browser.post(ENABLE, { password: PASSWORD });
  expect(status).toBe(200);
  return URI.parse(body.totpURI) as TOTP;
}

async function setUp(): Promise<TOTP> {
  const totp = await beginSetUp();
  expect((await browser.post(VERIFY, { code: totp.generate() })).status).toBe(200);
  return totp;
}

/** Signs in with the code after the one used in the set-up, because each works once. */
async function expectSignIn(totp: TOTP): Promise<void> {
  const one = await signedIn(gateway.url, user);
  expectRefusal(await one.operation('Viewer'), 401, 'not_signed_in');
  expect((await one.post(VERIFY, { code: totp.generate({ timestamp: Date.now() + 30_000 }) })).status).toBe(200);
  expect((await one.operation('Viewer')).status).toBe(200);
}

/** Ends the connections that wait for a lock, as when the database or the gateway is lost. */
async function loseWaiting(): Promise<void> {
  await untilBlocked(gateway.database);
  await gateway.database.query({
    text: `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  });
}

it('the second factor stays on if the connection is lost while it is turned off, and can be turned off later', async () => {
  const totp = await setUp();
  const disable = () => browser.post('/portal/auth/two-factor/disable', { password: PASSWORD });
  const lost = await gateway.database.transaction(async (sql) => {
    await sql.query({ text: 'select from portal_second_factors for update' });
    const [got] = await Promise.all([disable(), loseWaiting()]);
    return got;
  });
  expectRefusal(lost, 503, 'service_unavailable');
  await expectSignIn(totp);
  expect((await disable()).status).toBe(200);
  await setUp();
});

it('the second factor can be used if the connection is lost after it was turned on', async () => {
  const totp = await beginSetUp();
  const lost = await gateway.database.transaction(async (sql) => {
    // The new session waits for the user as whom it is to act.
    await sql.query({ text: 'select from users where id = $1 for update', values: [user.id] });
    const [got] = await Promise.all([browser.post(VERIFY, { code: totp.generate() }), loseWaiting()]);
    return got;
  });
  expectRefusal(lost, 503, 'service_unavailable');
  await expectSignIn(totp);
});

it.each<[string, (sql: Sql, accountId: string) => Promise<unknown>]>([
  ['all sessions are ended', endAllSessions],
  ['the factors are reset', reset],
])('the second factor stays off if %s while its first code is verified', async (_, act) => {
  const totp = await beginSetUp();
  const { begun } = await gateway.database.transaction(async (sql) => {
    const { id = '' } = (await findAccountOfUser(sql, user.id)) ?? {};
    await sql.query({ text: 'select from portal_accounts where id = $1 for update', values: [id] });
    const begun = browser.post(VERIFY, { code: totp.generate() });
    await untilBlocked(gateway.database);
    await act(sql, id);
    return { begun };
  });
  expectRefusal(await begun, 401, 'not_signed_in');
  browser = await signedIn(gateway.url, user);
  expect((await browser.get('/portal/auth/me')).body.second_factor).toBe(false);
  await setUp();
});

it('the second factor stays off if its session alone is ended while its first code is verified', async () => {
  const totp = await beginSetUp();
  const other = await signedIn(gateway.url, user);
  const [session] = (await browser.get('/portal/auth/sessions')).body.sessions.filter(
    (one: { current: boolean }) => one.current,
  );
  const { begun, ended } = await gateway.database.transaction(async (sql) => {
    // The verification waits before it turns the factor on.
    await sql.query({ text: 'lock table portal_second_factors in access exclusive mode' });
    const begun = browser.post(VERIFY, { code: totp.generate() });
    await untilBlocked(gateway.database);
    return { begun, ended: await other.post('/portal/auth/end-session', { id: session.id }) };
  });
  expect(ended.status).toBe(200);
  expectRefusal(await begun, 401, 'not_signed_in');
  expectRefusal(await browser.operation('Viewer'), 401, 'not_signed_in');
  browser = other;
  await setUp();
});

/** The reset by an operator, of a person who also has a passkey. */
async function reset(sql: Sql, accountId: string): Promise<void> {
  const passkey = `insert into portal_passkeys (id, account_id, name, credential_id, public_key) values ($1, $2, 'Key', $1, '')`;
  await sql.query({ text: passkey, values: [newId('passkey'), accountId] });
  const actor = { kind: 'operator', id: 'test' } as const;
  await resetFactors({ transaction: (work) => work(sql) }, { accountId, actor, reason: 'Lost' });
}

it('a reset deletes the passkeys, and is recorded with the firms of which the person is still a member', async () => {
  const [firm, former] = [await makeFirm(gateway.database), await makeFirm(gateway.database)];
  const { id } = await makeMember(gateway.database, former, user.email);
  const operator = { kind: 'operator', id: 'test' } as const;
  await removeMemberInTransaction(gateway.database, former.id, id, operator, { unadministered: true });
  const member = await makeMember(gateway.database, firm, user.email);
  const { id: accountId = '' } = (await findAccountOfUser(gateway.database, user.id)) ?? {};
  await gateway.database.transaction((sql) => reset(sql, accountId));
  expect(await listPasskeys(gateway.database, accountId)).toEqual([]);
  const recorded = await gateway.database.query({
    text: `select firm_id, subject from firm_events where action = 'factor_reset' and firm_id = any($1)`,
    values: [[firm.id, former.id]],
  });
  expect(recorded).toEqual([{ firm_id: firm.id, subject: member.id }]);
});

it('turning the second factor on requires one', async () => {
  const text = 'update portal_accounts set two_factor_enabled = true where email = $1';
  await expect(gateway.database.query({ text, values: [user.email] })).rejects.toMatchObject({ code: 'PSE01' });
});

it('a factor that an earlier release left behind when it was turned off can be reset', async () => {
  await gateway.database.query({
    text: `insert into portal_second_factors (id, account_id, totp_secret, recovery_codes)
      select $1, id, 'sealed', 'sealed' from portal_accounts where email = $2`,
    values: [newId('second_factor'), user.email],
  });
  expectRefusal(await browser.post(ENABLE, { password: PASSWORD }), 409, 'invalid_transition');
  const reset = ['user', 'reset-factor', user.email, '--reason', 'left behind'];
  expect((await runHere({ DATABASE_URL: gateway.databaseUrl }, ...reset)).code).toBe(0);
  browser = await signedIn(gateway.url, user);
  await setUp();
});

it('a set-up is refused while another window begins one', async () => {
  const account = await findAccountOfUser(gateway.database, user.id);
  const { begun } = await gateway.database.transaction(async (sql) => {
    await sql.query({
      text: `insert into portal_second_factors (id, account_id, totp_secret, recovery_codes, verified)
        values ($1, $2, 'secret', '[]', false)`,
      values: [newId('second_factor'), account?.id],
    });
    const begun = browser.post(ENABLE, { password: PASSWORD });
    await untilBlocked(gateway.database);
    return { begun };
  });
  expectRefusal(await begun, 409, 'invalid_transition');
});
