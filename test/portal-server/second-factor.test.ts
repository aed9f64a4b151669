// Signing in with a second factor: the password alone opens no session, and each code works once.
import { type TOTP, URI } from 'otpauth';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { findAccountOfUser, storePassword } from '#repositories/accounts/people.ts';
import type { User } from '#repositories/users.ts';
import { runHere } from '#test/cli/portico.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { untilBlocked } from '#test/support/locks.ts';
import { sampleOf, scrape } from '#test/support/metrics.ts';
import { Browser, expectRefusal } from './browser.ts';
import { makeOwner, PASSWORD, signedIn } from './people.ts';

const ENABLE = '/portal/auth/two-factor/enable';
const VERIFY = '/portal/auth/two-factor/verify-totp';
const RECOVER = '/portal/auth/two-factor/verify-backup-code';

let gateway: TestGateway;
let user: User;
let browser: Browser;
beforeAll(async () => {
  gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.1' } });
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  user = await makeOwner(gateway.database);
  browser = await signedIn(gateway.url, user);
});

/** The code after the one used in the set-up, because each works once. */
const nextCode = (totp: TOTP) => totp.generate({ timestamp: Date.now() + 30_000 });

/** Sets up the second factor as the account page does. */
async function setUp(): Promise<{ totp: TOTP; codes: string[] }> {
  const { body } = await browser.post(ENABLE, { password: PASSWORD });
  const totp = URI.parse(body.totpURI) as TOTP;
  expect((await browser.post(VERIFY, { code: totp.generate() })).status).toBe(200);
  return { totp, codes: body.backupCodes };
}

/** Signs in with the password; the session is opened by the second factor only. */
async function givePassword(): Promise<Browser> {
  const one = new Browser(gateway.url);
  const got = await one.post('/portal/auth/sign-in/email', { email: user.email, password: PASSWORD });
  expect(got.body).toMatchObject({ twoFactorRedirect: true, twoFactorMethods: ['totp'] });
  expectRefusal(await one.operation('Viewer'), 401, 'not_signed_in');
  return one;
}

const wrongCode = (totp: TOTP) => {
  const right = [-2, -1, 0, 1, 2].map((step) => totp.generate({ timestamp: Date.now() + step * 30_000 }));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !right.includes(code)) ?? '';
};

it('the set-up needs the password, and the second factor is on once a code has been verified', async () => {
  expectRefusal(await browser.post(ENABLE, { password: 'wrong' }), 400, 'wrong_password');
  const { body } = await browser.post(ENABLE, { password: PASSWORD });
  expect(body.backupCodes).toHaveLength(10);
  expect(body.totpURI).toMatch(/^otpauth:\/\/totp\/Portico:/);
  const totp = URI.parse(body.totpURI) as TOTP;
  expectRefusal(await browser.post(VERIFY, { code: wrongCode(totp) }), 400, 'wrong_code');
  await new Browser(gateway.url).signIn(user.email, PASSWORD);
  expect((await browser.get('/portal/auth/me')).body.second_factor).toBe(false);
  expect((await browser.post(VERIFY, { code: totp.generate() })).status).toBe(200);
  expect((await browser.get('/portal/auth/me')).body).toMatchObject({ second_factor: true, acting_as: user.id });
});

it('password and code open a session', async () => {
  const { totp } = await setUp();
  const one = await givePassword();
  expectRefusal(await one.post(VERIFY, { code: wrongCode(totp) }), 400, 'wrong_code');
  const got = await one.post(VERIFY, { code: nextCode(totp) });
  expect(got.status).toBe(200);
  expect(got.body).toEqual({});
  expect((await one.operation('Viewer')).body.data.userId).toBe(user.id);
});

it('a code without a password is refused', async () => {
  const { totp, codes } = await setUp();
  const one = new Browser(gateway.url);
  expectRefusal(await one.post(VERIFY, { code: totp.generate() }), 401, 'not_signed_in');
  expectRefusal(await one.post(RECOVER, { code: codes[0] }), 401, 'not_signed_in');
});

it('a code works once, the code of the set-up included', async () => {
  const { body } = await browser.post(ENABLE, { password: PASSWORD });
  const totp = URI.parse(body.totpURI) as TOTP;
  const [first, second] = [totp.generate(), nextCode(totp)];
  expect((await browser.post(VERIFY, { code: first })).status).toBe(200);
  const one = await givePassword();
  expectRefusal(await one.post(VERIFY, { code: first }), 400, 'wrong_code');
  // The refusal has not ended the sign-in.
  expect((await one.post(VERIFY, { code: second })).status).toBe(200);
  const again = await givePassword();
  expectRefusal(await again.post(VERIFY, { code: second }), 400, 'wrong_code');
  expectRefusal(await again.operation('Viewer'), 401, 'not_signed_in');
});

it('a code works once, also when used concurrently', async () => {
  const { totp } = await setUp();
  const browsers = await Promise.all(Array.from({ length: 6 }, givePassword));
  const code = nextCode(totp);
  const answers = await Promise.all(browsers.map((one) => one.post(VERIFY, { code })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const viewers = await Promise.all(browsers.map((one) => one.operation('Viewer')));
  expect(viewers.filter(({ status }) => status === 200)).toHaveLength(1);
});

it('a code that another account has used is accepted', async () => {
  const { totp } = await setUp();
  const code = nextCode(totp);
  const [{ id }] = (await gateway.database.query({
    text: 'select id from portal_accounts where email <> $1 limit 1',
    values: [user.email],
  })) as [{ id: string }];
  await gateway.database.query({
    text: 'insert into portal_used_codes (account_id, used_code) values ($1, $2)',
    values: [id, code],
  });
  expect((await (await givePassword()).post(VERIFY, { code })).status).toBe(200);
});

it('a recovery code works once, also when used concurrently', async () => {
  const { codes } = await setUp();
  const browsers = await Promise.all(Array.from({ length: 6 }, givePassword));
  const answers = await Promise.all(browsers.map((one) => one.post(RECOVER, { code: codes[0] })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const viewers = await Promise.all(browsers.map((one) => one.operation('Viewer')));
  expect(viewers.filter(({ status }) => status === 200)).toHaveLength(1);
  // The used code stays used, and the others stay valid.
  expectRefusal(await (await givePassword()).post(RECOVER, { code: codes[0] }), 400, 'wrong_code');
  expect((await (await givePassword()).post(RECOVER, { code: codes[1] })).status).toBe(200);
});

it('a recovery code works once', async () => {
  const { codes } = await setUp();
  const one = await givePassword();
  expectRefusal(await one.post(RECOVER, { code: 'aaaaa-aaaaa' }), 400, 'wrong_code');
  expect((await one.post(RECOVER, { code: codes[0] })).status).toBe(200);
  expect((await one.operation('Viewer')).status).toBe(200);
  const again = await givePassword();
  expectRefusal(await again.post(RECOVER, { code: codes[0] }), 400, 'wrong_code');
  expect((await again.post(RECOVER, { code: codes[1] })).status).toBe(200);
});

it('new recovery codes replace the old ones', async () => {
  const { codes } = await setUp();
  const renewed = await browser.post('/portal/auth/two-factor/generate-backup-codes', { password: PASSWORD });
  expect(renewed.body.backupCodes).toHaveLength(10);
  const one = await givePassword();
  expectRefusal(await one.post(RECOVER, { code: codes[0] }), 400, 'wrong_code');
  expect((await one.post(RECOVER, { code: renewed.body.backupCodes[0] })).status).toBe(200);
});

it('a code counts as an attempt to sign in only where nobody is signed in yet', async () => {
  const attempts = async () => {
    const text = await scrape(gateway.internalUrl);
    return ['signed_in', 'refused'].map((outcome) =>
      sampleOf(text, 'portico_sign_ins_total', { way: 'code', outcome }),
    );
  };
  const [signedIn = 0, refused = 0] = await attempts();
  const totp = URI.parse((await browser.post(ENABLE, { password: PASSWORD })).body.totpURI) as TOTP;
  expectRefusal(await browser.post(VERIFY, { code: wrongCode(totp) }), 400, 'wrong_code');
  expect((await browser.post(VERIFY, { code: totp.generate() })).status).toBe(200);
  expect(await attempts()).toEqual([signedIn, refused]);
  const one = await givePassword();
  expectRefusal(await one.post(VERIFY, { code: wrongCode(totp) }), 400, 'wrong_code');
  expect((await one.post(VERIFY, { code: nextCode(totp) })).status).toBe(200);
  expect(await attempts()).toEqual([signedIn + 1, refused + 1]);
  // Attempts that are refused before it is known whether somebody is signed in count, too.
  expectRefusal(await new Browser(gateway.url).post(VERIFY, {}), 400, 'invalid_parameter');
  expect(await attempts()).toEqual([signedIn + 1, refused + 2]);
});

it('five wrong codes end a sign-in, and ten lock the second factor, for the right code as well', async () => {
  const { totp } = await setUp();
  const wrong = wrongCode(totp);
  for (let round = 0; round < 2; round++) {
    const one = await givePassword();
    for (let number = 0; number < 5; number++)
      expectRefusal(await one.post(VERIFY, { code: wrong }), 400, 'wrong_code');
    const sixth = await one.post(VERIFY, { code: nextCode(totp) });
    expect([401, 429]).toContain(sixth.status);
  }
  const locked = await (await givePassword()).post(VERIFY, { code: nextCode(totp) });
  expectRefusal(locked, 429, 'rate_limit_exceeded');
  expect(locked.headers.get('retry-after')).toBe('900');
});

it('a session takes no codes once the second factor is on, because wrong ones would not be counted', async () => {
  const { totp, codes } = await setUp();
  for (const path of [VERIFY, RECOVER])
    for (const code of [wrongCode(totp), nextCode(totp), codes[0]])
      expectRefusal(await browser.post(path, { code }), 409, 'invalid_transition');
  expect((await (await givePassword()).post(RECOVER, { code: codes[0] })).status).toBe(200);
});

it('a change of the password ends the sign-ins that wait for a code', async () => {
  const { totp, codes } = await setUp();
  const [one, other] = [await givePassword(), await givePassword()];
  const changed = { currentPassword: PASSWORD, newPassword: `another ${PASSWORD}` };
  expect((await browser.post('/portal/auth/change-password', changed)).status).toBe(200);
  expectRefusal(await one.post(VERIFY, { code: nextCode(totp) }), 401, 'not_signed_in');
  expectRefusal(await other.post(RECOVER, { code: codes[0] }), 401, 'not_signed_in');
  expect((await browser.operation('Viewer')).status).toBe(200);
});

it('a change of the password while a code is verified ends the sign-in', async () => {
  const { totp } = await setUp();
  const one = await givePassword();
  const { begun } = await gateway.database.transaction(async (sql) => {
    const { id = '' } = (await findAccountOfUser(sql, user.id)) ?? {};
    await sql.query({ text: 'select from portal_accounts where id = $1 for update', values: [id] });
    const begun = one.post(VERIFY, { code: nextCode(totp) });
    await untilBlocked(gateway.database);
    await storePassword(sql, id, 'another');
    return { begun };
  });
  expectRefusal(await begun, 401, 'not_signed_in');
  expectRefusal(await one.operation('Viewer'), 401, 'not_signed_in');
});

it('the second factor is turned off with the password, which then suffices to sign in', async () => {
  await setUp();
  expectRefusal(await browser.post('/portal/auth/two-factor/disable', { password: 'wrong' }), 400, 'wrong_password');
  expect((await browser.post('/portal/auth/two-factor/disable', { password: PASSWORD })).status).toBe(200);
  expect((await browser.operation('Viewer')).status).toBe(200);
  await new Browser(gateway.url).signIn(user.email, PASSWORD);
});

it('neither the secret nor a recovery code is stored in plain text', async () => {
  const { totp, codes } = await setUp();
  const rows = await gateway.database.query({ text: 'select totp_secret, recovery_codes from portal_second_factors' });
  const stored = JSON.stringify(rows);
  for (const secret of [totp.secret.base32, totp.secret.utf8, ...codes]) expect(stored).not.toContain(secret);
});

it('a factor that was set up under another PORTAL_SECRET is refused with what to do, until it is reset', async () => {
  const { totp, codes } = await setUp();
  const other = await startGateway({
    databaseUrl: gateway.databaseUrl,
    env: { TRUST_PROXY: '127.0.0.1', PORTAL_SECRET: 'another secret of at least 32 characters' },
  });
  onTestFinished(() => other.stop());
  for (const [path, code] of [
    [VERIFY, nextCode(totp)],
    [RECOVER, codes[0]],
  ] as const) {
    const one = new Browser(other.url);
    await one.post('/portal/auth/sign-in/email', { email: user.email, password: PASSWORD });
    const answer = await one.post(path, { code });
    expectRefusal(answer, 409, 'invalid_transition');
    expect(answer.body.error.message).toContain('reset');
    expectRefusal(await one.operation('Viewer'), 401, 'not_signed_in');
  }
  const reset = ['user', 'reset-factor', user.email, '--reason', 'another secret'];
  expect((await runHere({ DATABASE_URL: gateway.databaseUrl }, ...reset)).code).toBe(0);
  await new Browser(other.url).signIn(user.email, PASSWORD);
});
