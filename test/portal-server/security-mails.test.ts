// Mails about the security of an account: changes of the ways to sign in, and sign-ins from new devices.
import { type TOTP, URI } from 'otpauth';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { User } from '#repositories/users.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { freePort } from '#test/support/ports.ts';
import { makeFirm } from '#test/support/scenario.ts';
import { Browser } from './browser.ts';
import { CLIENT, type OpenIdProvider, openProvider, signInThrough } from './open-id-provider.ts';
import { makeMember, makeOwner, newEmail, PASSWORD } from './people.ts';

let gateway: TestGateway;
let provider: OpenIdProvider;
let memberOf: () => Promise<User>;
let user: User;
let browser: Browser;
beforeAll(async () => {
  const port = await freePort();
  const portalUrl = `http://127.0.0.1:${port}`;
  provider = await openProvider(await freePort(), [`${portalUrl}/portal/auth/callback/own`]);
  const first = await startGateway();
  const firm = await makeFirm(first.database);
  const own = { id: 'own', label: 'Own', firm_id: firm.id, issuer: provider.issuer, ...CLIENT };
  const env = {
    TRUST_PROXY: '127.0.0.1',
    PORT: String(port),
    PORTAL_URL: portalUrl,
    PORTAL_OIDC: JSON.stringify([own]),
  };
  const served = await startGateway({ databaseUrl: first.databaseUrl, env });
  gateway = {
    ...served,
    stop: async () => {
      await served.stop();
      await first.stop();
    },
  };
  memberOf = () => makeMember(gateway.database, firm);
});
afterAll(async () => {
  await gateway?.stop();
  await provider?.close();
});
beforeEach(async () => {
  user = await makeOwner(gateway.database);
  browser = new Browser(gateway.url);
});

/** The notices to this user, oldest first, without the one that the password was set. */
const noticesTo = async ({ email }: User, details = false): Promise<unknown[]> => {
  const rows = await gateway.database.query<{ kind: string; details: unknown }>({
    text: `select kind, details from notices
      where recipient in (select id from portal_accounts where email = $1 union select id from users where email = $1)
      order by id`,
    values: [email],
  });
  return rows.map((row) => (details ? row : row.kind)).slice(1);
};

describe('a sign-in', () => {
  it('from a new device gets a notice with its browser and network, and from a known device none', async () => {
    await browser.signIn(user.email, PASSWORD);
    expect(await noticesTo(user, true)).toMatchObject([
      { kind: 'signed_in', details: { agent: 'Test browser', network: expect.stringMatching(/^198\.18\./) } },
    ]);
    await browser.post('/portal/auth/sign-out');
    await browser.signIn(user.email, PASSWORD);
    expect(await noticesTo(user)).toEqual(['signed_in']);
    await new Browser(gateway.url).signIn(user.email, PASSWORD);
    expect(await noticesTo(user)).toEqual(['signed_in', 'signed_in']);
  });

  it('gets no notice if the password is wrong, or before the second factor has been given', async () => {
    await browser.signIn(user.email, PASSWORD);
    const { body } = await browser.post('/portal/auth/two-factor/enable', { password: PASSWORD });
    const totp = URI.parse(body.totpURI) as TOTP;
    await browser.post('/portal/auth/two-factor/verify-totp', { code: totp.generate() });
    expect(await noticesTo(user)).toEqual(['signed_in', 'second_factor_on']);

    const stranger = new Browser(gateway.url);
    await stranger.post('/portal/auth/sign-in/email', { email: user.email, password: 'not their password' });
    await stranger.post('/portal/auth/sign-in/email', { email: user.email, password: PASSWORD });
    expect(await noticesTo(user)).toEqual(['signed_in', 'second_factor_on']);
    const code = totp.generate({ timestamp: Date.now() + 30_000 });
    expect((await stranger.post('/portal/auth/two-factor/verify-totp', { code })).status).toBe(200);
    expect(await noticesTo(user)).toEqual(['signed_in', 'second_factor_on', 'signed_in']);
  });

  it('through a provider makes the device known for that provider, and not for passwords', async () => {
    const member = await memberOf();
    provider.employees.set(member.id, { email: member.email, email_verified: true, name: 'Member' });
    expect((await signInThrough(browser, 'own', member.id)).headers.get('location')).toBe('/portal/');
    expect(await noticesTo(member, true)).toMatchObject([{ kind: 'signed_in', details: { provider: 'own' } }]);
    expect((await signInThrough(browser, 'own', member.id)).headers.get('location')).toBe('/portal/');
    expect(await noticesTo(member)).toEqual(['signed_in']);
    await browser.signIn(member.email, PASSWORD);
    expect(await noticesTo(member)).toEqual(['signed_in', 'signed_in']);
  });
});

describe('a change', () => {
  it('of the password, the second factor or the recovery codes gets a notice', async () => {
    await browser.signIn(user.email, PASSWORD);
    const changed = { currentPassword: PASSWORD, newPassword: 'another long password' };
    expect((await browser.post('/portal/auth/change-password', changed)).status).toBe(200);
    const password = changed.newPassword;
    const { body } = await browser.post('/portal/auth/two-factor/enable', { password });
    const totp = URI.parse(body.totpURI) as TOTP;
    await browser.post('/portal/auth/two-factor/verify-totp', { code: totp.generate() });
    await browser.post('/portal/auth/two-factor/generate-backup-codes', { password });
    await browser.post('/portal/auth/two-factor/disable', { password });
    expect(await noticesTo(user)).toEqual([
      'signed_in',
      'password_changed',
      'second_factor_on',
      'recovery_codes_changed',
      'second_factor_off',
    ]);
  });

  it('of the e-mail address gets a notice to the former address', async () => {
    await gateway.database.query({ text: 'update users set email = $2 where id = $1', values: [user.id, newEmail()] });
    const [notice] = await gateway.database.query({
      text: `select kind, details from notices where subject = $1`,
      values: [user.id],
    });
    expect(notice).toEqual({ kind: 'email_changed', details: { address: user.email } });
  });
});
