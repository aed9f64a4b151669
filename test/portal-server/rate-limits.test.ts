// The limits on trying passwords and links: refusals are 429 and say when to try again.
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { steadyClock } from '#core/clock.ts';
import { Exchange } from '#http/exchange.ts';
import { findAccountOfUser } from '#repositories/accounts/people.ts';
import { runHere } from '#test/cli/portico.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { until } from '#test/support/ports.ts';
import { Browser, expectRefusal, type Got } from './browser.ts';
import { makeOwner, newEmail, PASSWORD } from './people.ts';
import { openPostOffice } from './post-office.ts';

/** Shared by the tests: one that trusts the addresses that a proxy names, and one that does not. */
let proxied: TestGateway;
let direct: TestGateway;
/** The gateway of the current test. */
let gateway: TestGateway;

// The clock is stopped, so that all attempts count within one minute, however long they take. It never goes back.
let now = Date.now();

beforeAll(async () => {
  vi.spyOn(steadyClock, 'now').mockImplementation(() => now);
  proxied = await startGateway({ env: { TRUST_PROXY: '127.0.0.1' } });
  direct = await startGateway();
});
// An hour after the test before, whose attempts therefore do not count.
beforeEach(() => {
  now += 3_600_000;
});
afterEach(async () => {
  if (gateway !== proxied && gateway !== direct) await gateway.stop();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await proxied?.stop();
  await direct?.stop();
});

const browser = () => new Browser(gateway.url);
const attempt = (email: string, password: string, address?: string) =>
  browser().post(
    '/portal/auth/sign-in/email',
    { email, password },
    { headers: address === undefined ? {} : { 'X-Forwarded-For': address } },
  );

function expectThrottled(got: Got): void {
  expectRefusal(got, 429, 'rate_limit_exceeded');
  // Read by people: the default message of the code is for those who write programs.
  expect(got.body.error.message).toBe('There were too many requests within a minute.');
  const seconds = Number(got.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(61);
}

/** Tries wrong passwords for an account, ten from each network. */
async function guess(email: string, attempts: number): Promise<void> {
  const network = (number: number) => `192.0.2.${Math.floor(number / 10) + 1}`;
  const tries = Array.from({ length: attempts }, (_, number) => attempt(email, `wrong ${number}`, network(number)));
  for (const got of await Promise.all(tries)) expectRefusal(got, 401, 'invalid_credentials');
}

it('an account takes ten attempts a minute from one network; other networks and accounts count apart', async () => {
  gateway = proxied;
  const user = await makeOwner(gateway.database);
  await guess(user.email, 10);
  expectThrottled(await attempt(user.email, PASSWORD, '192.0.2.1'));
  expectThrottled(await attempt(user.email.toUpperCase(), PASSWORD, '192.0.2.1'));
  expect((await attempt(user.email, PASSWORD, '192.0.2.99')).status).toBe(200);
  const other = await makeOwner(gateway.database);
  expect((await attempt(other.email, PASSWORD, '192.0.2.1')).status).toBe(200);
});

it('after a hundred attempts in a minute, an account can be signed in to from its known devices only', async () => {
  gateway = proxied;
  const user = await makeOwner(gateway.database);
  const own = browser();
  await own.signIn(user.email, PASSWORD);
  await own.post('/portal/auth/sign-out');
  const [thief, other] = [browser(), await makeOwner(gateway.database)];
  await thief.signIn(other.email, PASSWORD);
  await guess(user.email, 99);
  expectThrottled(await attempt(user.email, PASSWORD, '192.0.2.200'));
  // The device of another account and forged cookies are not known.
  const signIn = (one: Browser, headers = {}) =>
    one.post('/portal/auth/sign-in/email', { email: user.email, password: PASSWORD }, { headers });
  expectThrottled(await signIn(thief));
  const named = own.cookies().replace(/(device\.[\w-]+=[\w-]+\.)[\w-]+/, (_, start) => start + 'x'.repeat(27));
  expect(named).toContain('x'.repeat(27));
  expectThrottled(await signIn(browser(), { Cookie: named }));
  const renamed = thief.cookies().replace(/device\.[\w-]+/, /device\.[\w-]+/.exec(own.cookies())?.[0] ?? '');
  expectThrottled(await signIn(browser(), { Cookie: renamed }));
  // The account's own device is.
  await own.signIn(user.email, PASSWORD);
});

it('the known devices of an account share one limit of ten attempts', async () => {
  gateway = proxied;
  const user = await makeOwner(gateway.database);
  const devices = [browser(), browser(), browser()];
  for (const device of devices) await device.signIn(user.email, PASSWORD);
  const guesses = Array.from({ length: 12 }, (_, number) =>
    devices[number % 3]?.twin().post('/portal/auth/sign-in/email', { email: user.email, password: 'wrong' }),
  ).filter((guess) => guess !== undefined);
  const statuses = Object.groupBy(await Promise.all(guesses), ({ status }) => status);
  expect([statuses[401]?.length, statuses[429]?.length]).toEqual([10, 2]);
});

it('a known device can sign in from a network that is over its limit', async () => {
  gateway = proxied;
  const user = await makeOwner(gateway.database);
  const own = browser();
  await own.signIn(user.email, PASSWORD);
  await Promise.all(Array.from({ length: 60 }, () => attempt(newEmail(), 'x', '192.0.2.7')));
  const looks = Array.from({ length: 300 }, () =>
    browser().get('/portal/auth/options', { headers: { 'X-Forwarded-For': '192.0.2.7' } }),
  );
  await Promise.all(looks);
  const near = { headers: { 'X-Forwarded-For': '192.0.2.7' } };
  expectThrottled(await attempt(user.email, PASSWORD, '192.0.2.7'));
  expectThrottled(await browser().get('/portal/auth/options', near));
  const got = await own.post('/portal/auth/sign-in/email', { email: user.email, password: PASSWORD }, near);
  expect(got.status).toBe(200);
  expect((await own.get('/portal/auth/me', near)).status).toBe(200);
});

it('the sessions of an account share one limit of tried links', async () => {
  gateway = proxied;
  const user = await makeOwner(gateway.database);
  const devices = Array.from({ length: 4 }, browser);
  for (const device of devices) await device.signIn(user.email, PASSWORD);
  const tries = devices.flatMap((device) =>
    Array.from({ length: 20 }, () => device.post('/portal/auth/link', { token: 'guess' })),
  );
  const statuses = Object.groupBy(await Promise.all(tries), ({ status }) => status);
  expect(statuses[429]).toHaveLength(20);
});

it.each([
  ['a new password', '/portal/auth/change-password', { currentPassword: PASSWORD, newPassword: `new ${PASSWORD}` }],
  ['signing out everywhere', '/portal/auth/sign-out-everywhere', {}],
])('%s leaves only the device on which it is done known', async (_, path, body) => {
  gateway = proxied;
  const user = await makeOwner(gateway.database);
  const [here, elsewhere] = [browser(), browser()];
  for (const device of [here, elsewhere]) await device.signIn(user.email, PASSWORD);
  expect((await here.post(path, body)).status).toBe(200);
  // A hundred with the two sign-ins.
  await guess(user.email, 98);
  const signIn = (device: Browser) =>
    device.post('/portal/auth/sign-in/email', { email: user.email, password: 'wrong' });
  expectThrottled(await signIn(elsewhere));
  expectRefusal(await signIn(here), 401, 'invalid_credentials');
});

it('using a link makes its device known', async () => {
  gateway = proxied;
  const user = await makeOwner(gateway.database);
  await guess(user.email, 100);
  const { stdout } = await runHere({ DATABASE_URL: gateway.databaseUrl }, 'user', 'reset', user.id, '--json');
  const token = new URL(JSON.parse(stdout).url).hash.slice(1);
  const own = browser();
  expectThrottled(await own.post('/portal/auth/sign-in/email', { email: user.email, password: PASSWORD }));
  const newPassword = 'chosen by the person';
  expect((await own.post('/portal/auth/reset-password', { token, newPassword })).status).toBe(200);
  await own.signIn(user.email, newPassword);
});

it('an address gets five links an hour at most, and unknown addresses are limited alike', async () => {
  const office = await openPostOffice();
  const ORIGIN = 'http://portico.example';
  try {
    const mail = { SMTP_URL: office.url, MAIL_FROM: 'no-reply@portico.example' };
    gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.1', PORTAL_URL: ORIGIN, ...mail } });
    const [user, unknown] = [await makeOwner(gateway.database), newEmail()];
    const ask = (email: string, number: number) =>
      browser().post(
        '/portal/auth/request-password-reset',
        { email },
        { headers: { Origin: ORIGIN, 'X-Forwarded-For': `192.0.2.${number}` } },
      );
    for (const email of [user.email, unknown]) {
      const all = await Promise.all(Array.from({ length: 9 }, (_, number) => ask(email, number)));
      const statuses = Object.groupBy(all, ({ status }) => status);
      expect([statuses[200]?.length, statuses[429]?.length], email).toEqual([5, 4]);
    }
    const refused = await ask(user.email.toUpperCase(), 99);
    const unknownRefused = await ask(unknown, 99);
    expectRefusal(refused, 429, 'rate_limit_exceeded');
    expect(refused.body.error.message).toBe(unknownRefused.body.error.message);
    // The time until the first of the five is an hour old.
    for (const { headers } of [refused, unknownRefused]) {
      const seconds = Number(headers.get('retry-after'));
      expect([seconds > 3_000, seconds <= 3_600]).toEqual([true, true]);
    }
    // Not the notice of the first password.
    const isLink = /^Subject: Your password for Portico\r$/m;
    const letters = () => office.letters.filter(({ to, text }) => to.includes(user.email) && isLink.test(text));
    await until(
      async () => letters().length === 5,
      60_000,
      () => new Error(`${letters().length} letters`),
    );
    // An hour later, the next one is sent.
    await gateway.database.query({
      text: `update allowances set taken = array(select at - interval '1 hour' from unnest(taken) at)`,
    });
    expect((await ask(user.email, 1)).status).toBe(200);
    await until(
      async () => letters().length === 6,
      60_000,
      () => new Error(`${letters().length} letters`),
    );
  } finally {
    await office.close();
  }
});

it('concurrent attempts are counted like sequential ones', async () => {
  gateway = direct;
  const user = await makeOwner(gateway.database);
  const all = await Promise.all(Array.from({ length: 30 }, () => attempt(user.email, 'wrong password')));
  const statuses = Object.groupBy(all, ({ status }) => status);
  expect(statuses[401]).toHaveLength(10);
  expect(statuses[429]).toHaveLength(20);
});

it('an unknown address is throttled like a known one', async () => {
  gateway = direct;
  const email = newEmail();
  for (let number = 0; number < 10; number++) await attempt(email, 'wrong password');
  expectThrottled(await attempt(email, 'wrong password'));
});

it('a network that tries many accounts is throttled, for links, invitations and providers as well; other networks are not', async () => {
  gateway = proxied;
  const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
  const others = (address: string): Promise<Got>[] => [
    ...['link', 'invitation'].map((name) => browser().post(`/portal/auth/${name}`, { token: 'guess' }, from(address))),
    browser().post('/portal/auth/join', { token: 'guess', name: 'Guest', password: PASSWORD }, from(address)),
    browser().post('/portal/auth/sign-in/social', { provider: 'none' }, from(address)),
  ];
  const callback = async (address: string) => {
    const { status, headers } = await browser().get('/portal/auth/callback/none', from(address));
    return [status, headers.get('location')];
  };
  const tries = Array.from({ length: 60 }, () => attempt(newEmail(), 'x', '192.0.2.7'));
  for (const { status } of await Promise.all(tries)) expect(status).toBe(401);
  expectThrottled(await attempt(newEmail(), 'x', '192.0.2.7'));
  for (const got of await Promise.all(others('192.0.2.7'))) expectThrottled(got);
  expect(await callback('192.0.2.7')).toEqual([302, '/portal/sign-in?error=rate_limit_exceeded']);
  expectRefusal(await attempt(newEmail(), 'x', '192.0.2.8'), 401, 'invalid_credentials');
  for (const { status, text } of await Promise.all(others('192.0.2.8'))) expect(status, text).not.toBe(429);
  expect((await callback('192.0.2.8'))[1]).not.toContain('rate_limit_exceeded');
});

it('X-Forwarded-For is ignored without a trusted proxy', async () => {
  gateway = direct;
  const user = await makeOwner(gateway.database);
  const tries = Array.from({ length: 60 }, (_, number) => attempt(newEmail(), 'x', `192.0.2.${number}`));
  await Promise.all(tries);
  expectThrottled(await attempt(user.email, PASSWORD, '192.0.2.77'));
});

it.each([
  ['change-password', { currentPassword: 'guess', newPassword: 'a long new password' }],
  ['remove-passkey', { password: 'guess', id: 'any' }],
])('guessing the current password within a session is throttled: %s', async (path, body) => {
  gateway = direct;
  const user = await makeOwner(gateway.database);
  const one = browser();
  await one.signIn(user.email, PASSWORD);
  const guess = () => one.post(`/portal/auth/${path}`, body);
  for (let number = 0; number < 10; number++) expectRefusal(await guess(), 400, 'wrong_password');
  expectThrottled(await guess());
});

/** Requests that need a session; the last one ends it. */
const IN_SESSION: [path: string, send: (one: Browser) => Promise<Got>][] = [
  ['graphql', (one) => one.operation('Viewer')],
  ['access-record.csv', (one) => one.get('/portal/access-record.csv')],
  ['ledger.json', (one) => one.get('/portal/ledger.json')],
  ['ledger.ndjson', (one) => one.get('/portal/ledger.ndjson')],
  ['personal-data.ndjson', (one) => one.get('/portal/personal-data.ndjson')],
  ['act-as', (one) => one.post('/portal/auth/act-as', { user_id: 'usr_x' })],
  ['end-session', (one) => one.post('/portal/auth/end-session', { id: 'pse_x' })],
  ['change-password', (one) => one.post('/portal/auth/change-password', {})],
  ['remove-passkey', (one) => one.post('/portal/auth/remove-passkey', {})],
  ['two-factor/enable', (one) => one.post('/portal/auth/two-factor/enable', { password: 'x' })],
  ['sign-out-everywhere', (one) => one.post('/portal/auth/sign-out-everywhere')],
];

/** Requires no session. */
const OPEN: typeof IN_SESSION = [
  ['jwks.json', (one) => one.get('/.well-known/jwks.json')],
  ['ledger/checkpoint', (one) => one.get('/ledger/checkpoint')],
  ['ledger/tile', (one) => one.get('/ledger/tile/0/000')],
  ['unsubscribe', (one) => one.get('/portal/unsubscribe/x')],
  ['unsubscribe', (one) => one.post('/portal/unsubscribe/x')],
  ['options', (one) => one.get('/portal/auth/options')],
];

it('requests without a session, or with one that has ended, share one limit of 300 by device, else by network', async () => {
  gateway = proxied;
  const user = await makeOwner(gateway.database);
  const [stranger, person, other] = [browser(), browser(), browser()];
  for (const one of [person, other]) await one.signIn(user.email, PASSWORD);
  const ended = person.twin();
  await person.post('/portal/auth/sign-out');
  for (const one of [stranger, ended]) {
    for (const [, send] of IN_SESSION) expectRefusal(await send(one), 401, 'not_signed_in');
    const rest = Array.from({ length: 300 - IN_SESSION.length }, () => one.operation('Viewer'));
    for (const { status } of await Promise.all(rest)) expect(status).toBe(401);
    for (const [, send] of [...IN_SESSION, ...OPEN]) expectThrottled(await send(one));
  }
  for (const [path, send] of OPEN) expect((await send(browser())).status, path).not.toBe(429);
  expectRefusal(await browser().operation('Viewer'), 401, 'not_signed_in');
  expect((await other.operation('Viewer')).status).toBe(200);
});

it('every request of a session counts for its account, also if its second factor is missing', async () => {
  gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.1', REQUIRE_SECOND_FACTOR: 'everybody' } });
  const user = await makeOwner(gateway.database);
  const one = browser();
  await one.signIn(user.email, PASSWORD);
  const account = `portal:account:${(await findAccountOfUser(gateway.database, user.id))?.id}`;
  // So that it does not take 1,200 requests.
  const { count } = Exchange.prototype;
  const lowered = vi.spyOn(Exchange.prototype, 'count').mockImplementation(function (this: Exchange, subject, limit) {
    return count.call(this, subject, subject === account ? IN_SESSION.length - 1 : limit);
  });
  try {
    for (const [path, send] of IN_SESSION.slice(0, -1)) expect((await send(one)).status, path).not.toBe(429);
    for (const [, send] of IN_SESSION) expectThrottled(await send(one));
  } finally {
    lowered.mockRestore();
  }
});
