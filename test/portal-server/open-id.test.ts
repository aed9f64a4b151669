// A firm's OpenID provider signs in members of that firm with a verified address, and no other account.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Firm } from '#repositories/firms.ts';
import { createUser, type User } from '#repositories/users.ts';
import { runHere } from '#test/cli/portico.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { freePort } from '#test/support/ports.ts';
import { makeFirm } from '#test/support/scenario.ts';
import { Browser, expectRefusal } from './browser.ts';
import { CLIENT, callbackUrl, type OpenIdProvider, openProvider, signInThrough } from './open-id-provider.ts';
import { makeMember, makeOwner, newEmail, PASSWORD, signedIn } from './people.ts';

let gateway: TestGateway;
let provider: OpenIdProvider;
let firm: Firm;
let closedFirm: Firm;
let env: Record<string, string>;
let browser: Browser;

beforeAll(async () => {
  const port = await freePort();
  const portalUrl = `http://127.0.0.1:${port}`;
  const back = (id: string) => `${portalUrl}/portal/auth/callback/${id}`;
  provider = await openProvider(await freePort(), [back('open'), back('closed')]);
  const first = await startGateway();
  [firm, closedFirm] = [await makeFirm(first.database), await makeFirm(first.database)];
  const common = { issuer: provider.issuer, ...CLIENT };
  env = {
    TRUST_PROXY: '127.0.0.1',
    PORT: String(port),
    PORTAL_URL: portalUrl,
    PORTAL_OIDC: JSON.stringify([
      { id: 'open', label: 'Open & Co', firm_id: firm.id, ...common },
      { id: 'closed', label: 'Closed & Co', firm_id: closedFirm.id, only: true, ...common },
    ]),
  };
  const served = await startGateway({ databaseUrl: first.databaseUrl, env });
  gateway = {
    ...served,
    stop: async () => {
      await served.stop();
      await first.stop();
    },
  };
});
afterAll(async () => {
  await gateway?.stop();
  await provider?.close();
});
beforeEach(() => {
  browser = new Browser(gateway.url);
});

let subjects = 0;

/** Adds an employee with this address to the provider; returns the subject. */
function employ(email: string, verified = true): string {
  const subject = `employee-${++subjects}`;
  provider.employees.set(subject, { email, email_verified: verified, name: 'Employee' });
  return subject;
}

/** A member who has no password. */
const makeBareMember = (of: Firm = firm): Promise<User> =>
  createUser(gateway.database, { role: 'firm_member', email: newEmail(), name: 'Member', firmId: of.id });

async function expectSignInRefused(subject: string, error: string): Promise<void> {
  const got = await signInThrough(browser, 'open', subject);
  expect(got.status).toBe(302);
  const to = new URL(got.headers.get('location') ?? '', gateway.url);
  expect(to.pathname).toBe('/portal/sign-in');
  expect(to.searchParams.get('error')).toBe(error);
  expectRefusal(await browser.operation('Viewer'), 401, 'not_signed_in');
}

it('the options of the sign-in page list each provider by id and label only', async () => {
  const { body, text } = await browser.get('/portal/auth/options');
  expect(body.providers).toEqual([
    { id: 'open', label: 'Open & Co' },
    { id: 'closed', label: 'Closed & Co' },
  ]);
  expect(text).not.toContain(CLIENT.client_secret);
});

it('a member without a password signs in; the request to the provider has PKCE, a state and a nonce', async () => {
  const member = await makeBareMember();
  const { body } = await browser.post('/portal/auth/sign-in/social', { provider: 'open' });
  const query = new URL(body.url).searchParams;
  expect(query.get('code_challenge_method')).toBe('S256');
  expect(query.get('code_challenge')?.length).toBeGreaterThan(40);
  expect(query.get('state')?.length).toBeGreaterThan(20);
  expect(query.get('nonce')?.length).toBeGreaterThan(20);

  const got = await signInThrough(browser, 'open', employ(member.email.toUpperCase()));
  expect(got.status).toBe(302);
  expect(got.headers.get('location')).toBe('/portal/');
  const { body: me } = await browser.get('/portal/auth/me');
  expect(me).toMatchObject({ email: member.email, provider: 'open', has_password: false, acting_as: member.id });
  expect((await browser.operation('Viewer')).body.data.firm.id).toBe(firm.id);
});

const opensSession = ({ headers }: { headers: Headers }) =>
  headers.getSetCookie().some((line) => /session_token=[^;]/.test(line));

it('the callback works once', async () => {
  const url = await callbackUrl(browser, 'open', employ((await makeBareMember()).email));
  const twin = browser.twin();
  expect(opensSession(await browser.get(url))).toBe(true);
  for (const other of [twin, browser]) {
    const again = await other.get(url);
    expect(again.headers.get('location')).toMatch(/error=/);
    expect(opensSession(again)).toBe(false);
  }
});

it('the callback works only in the browser that began the sign-in', async () => {
  const url = await callbackUrl(browser, 'open', employ((await makeBareMember()).email));
  const other = new Browser(gateway.url);
  await other.post('/portal/auth/sign-in/social', { provider: 'open' });
  const got = await other.get(url);
  expect(got.headers.get('location')).toMatch(/error=/);
  expect(opensSession(got)).toBe(false);
  expectRefusal(await other.operation('Viewer'), 401, 'not_signed_in');
});

describe('the sign-in is refused for', () => {
  it('an employee who is not a member of the firm', async () => {
    const email = newEmail();
    await expectSignInRefused(employ(email), 'not_a_member');
    const text = 'select 1 from portal_accounts where email = $1';
    expect(await gateway.database.query({ text, values: [email] })).toEqual([]);
  });

  it('an address that the provider has not verified', async () => {
    await expectSignInRefused(employ((await makeBareMember()).email, false), 'not_a_member');
    // Also if there is an account that could be linked to it.
    const member = await makeMember(gateway.database, firm);
    await expectSignInRefused(employ(member.email, false), 'not_a_member');
  });

  it("another firm's member", async () => {
    await expectSignInRefused(employ((await makeBareMember(closedFirm)).email), 'not_a_member');
  });

  it('a client, and an operator', async () => {
    const owner = await makeOwner(gateway.database);
    await expectSignInRefused(employ(owner.email), 'not_a_member');
    const operator = await createUser(gateway.database, { role: 'ops', email: newEmail(), name: 'Ops' });
    await expectSignInRefused(employ(operator.email), 'not_a_member');
  });

  it('a former member, whose session has ended as well', async () => {
    const member = await makeBareMember();
    const subject = employ(member.email);
    await signInThrough(browser, 'open', subject);
    expect((await browser.operation('Viewer')).status).toBe(200);
    const text = 'update users set firm_id = $2 where id = $1';
    await gateway.database.query({ text, values: [member.id, closedFirm.id] });
    expectRefusal(await browser.operation('Viewer'), 401, 'not_signed_in');
    browser = new Browser(gateway.url);
    await expectSignInRefused(subject, 'not_a_member');
  });
});

it("a session from a firm's provider has the membership only, not the person's other identities", async () => {
  const email = newEmail();
  const client = await makeOwner(gateway.database, email);
  const member = await makeMember(gateway.database, firm, email);
  const own = await signedIn(gateway.url, { email });

  await signInThrough(browser, 'open', employ(email));
  const { body: me } = await browser.get('/portal/auth/me');
  expect(me.identities.map((one: { user_id: string }) => one.user_id)).toEqual([member.id]);
  expectRefusal(await browser.post('/portal/auth/act-as', { user_id: client.id }), 404, 'resource_not_found');

  const { body } = await browser.get('/portal/auth/sessions');
  expect(body.sessions.map((one: { provider: string }) => one.provider)).toEqual(['open']);
  expect((await browser.post('/portal/auth/sign-out-everywhere')).body).toEqual({ ended: 1 });
  expect((await own.operation('Viewer')).status).toBe(200);
  const { body: all } = await own.get('/portal/auth/me');
  expect(all.identities.map((one: { user_id: string }) => one.user_id)).toEqual([member.id, client.id]);
});

it('a second factor that the firm requires is not required of a session from its provider', async () => {
  const text = 'update firms set second_factor_required = $2 where id = $1';
  const member = await makeMember(gateway.database, firm);
  const own = await signedIn(gateway.url, member);
  await gateway.database.query({ text, values: [firm.id, true] });
  try {
    await signInThrough(browser, 'open', employ(member.email));
    expect((await browser.operation('Viewer')).status).toBe(200);
    expect((await browser.get('/portal/auth/me')).body.second_factor_missing).toBe(false);
    expectRefusal(await own.operation('Viewer'), 403, 'second_factor_required');
  } finally {
    await gateway.database.query({ text, values: [firm.id, false] });
  }
});

it('a sign-in is matched by the address that the provider reports now, not by an earlier one', async () => {
  const alice = await makeBareMember();
  const subject = employ(alice.email);
  await signInThrough(browser, 'open', subject);
  const [before, after] = [alice.email, newEmail()];
  await gateway.database.query({ text: 'update users set email = $2 where id = $1', values: [alice.id, after] });
  const bob = await makeMember(gateway.database, firm, before);
  provider.employees.set(subject, { email: after, email_verified: true, name: 'Employee' });
  browser = new Browser(gateway.url);
  await signInThrough(browser, 'open', subject);
  expect((await browser.get('/portal/auth/me')).body).toMatchObject({ email: after, acting_as: alice.id });
  browser = new Browser(gateway.url);
  await signInThrough(browser, 'open', employ(before));
  expect((await browser.get('/portal/auth/me')).body).toMatchObject({ email: before, acting_as: bob.id });
});

it("a session from a firm's provider cannot change password, second factor or passkeys", async () => {
  const member = await makeMember(gateway.database, firm);
  const own = await signedIn(gateway.url, member);
  await signInThrough(browser, 'open', employ(member.email));
  const password = PASSWORD;
  for (const [path, body] of [
    ['two-factor/enable', { password }],
    ['two-factor/verify-totp', { code: '123456' }],
    ['two-factor/generate-backup-codes', { password }],
    ['two-factor/disable', { password }],
    ['passkey/begin-adding', { password }],
    ['passkey/add', { name: 'Key', response: '{}' }],
    ['remove-passkey', { password, id: 'any' }],
    ['change-password', { currentPassword: password, newPassword: `another ${password}` }],
  ] as const)
    expectRefusal(await browser.post(`/portal/auth/${path}`, body), 403, 'forbidden');
  const { body: me } = await browser.get('/portal/auth/me');
  expect(me).toMatchObject({ has_password: false, passkeys: [] });
  expect((await own.get('/portal/auth/me')).body.has_password).toBe(true);
});

it("the provider's tokens are not stored", async () => {
  await signInThrough(browser, 'open', employ((await makeBareMember()).email));
  const rows = await gateway.database.query({
    text: `select oauth_access, oauth_refresh, oauth_identity, password_hash from portal_credentials where provider = 'open'`,
  });
  expect(new Set(rows.flatMap((row) => Object.values(row)))).toEqual(new Set([null]));
});

describe('a firm that signs in through its provider only', () => {
  it('has members who can neither sign in by password nor be invited to set one', async () => {
    const member = await makeMember(gateway.database, closedFirm);
    const got = await browser.post('/portal/auth/sign-in/email', { email: member.email, password: PASSWORD });
    expectRefusal(got, 403, 'forbidden');
    expectRefusal(await browser.operation('Viewer'), 401, 'not_signed_in');
    const bare = await makeBareMember(closedFirm);
    const settings = { DATABASE_URL: gateway.databaseUrl, PORTAL_URL: env.PORTAL_URL ?? '' };
    const invited = await runHere({ ...settings, PORTAL_OIDC: env.PORTAL_OIDC ?? '' }, 'user', 'invite', bare.email);
    expect(invited).toMatchObject({ code: 1, stdout: '' });
    expect(invited.stderr).toContain('signs in through Closed & Co only');
    await signInThrough(browser, 'closed', employ(member.email));
    expect((await browser.operation('Viewer')).body.data.firm.id).toBe(closedFirm.id);
  });

  it("leaves its members' other identities open to a password", async () => {
    const email = newEmail();
    const client = await makeOwner(gateway.database, email);
    await makeMember(gateway.database, closedFirm, email);
    await browser.signIn(email, PASSWORD);
    const { body: me } = await browser.get('/portal/auth/me');
    expect(me.identities.map((one: { user_id: string }) => one.user_id)).toEqual([client.id]);
  });
});

it('a session from a provider that is no longer configured is refused', async () => {
  const member = await makeBareMember();
  await signInThrough(browser, 'open', employ(member.email));
  const later = await startGateway({ databaseUrl: gateway.databaseUrl, env: { PORTAL_URL: env.PORTAL_URL ?? '' } });
  try {
    const headers = { Cookie: browser.cookies(), Origin: env.PORTAL_URL ?? '' };
    const got = await new Browser(later.url).post('/portal/graphql', { operation: 'Viewer' }, { headers });
    expectRefusal(got, 401, 'not_signed_in');
  } finally {
    await later.stop();
  }
});

it('an unreachable or silent provider delays only the sign-ins through it', {
  timeout: 180_000,
}, async () => {
  const silent = createServer(() => {});
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
  const { port } = silent.address() as AddressInfo;
  const away = { label: 'Away', firm_id: firm.id, ...CLIENT };
  const lonely = await startGateway({
    databaseUrl: gateway.databaseUrl,
    env: {
      PORTAL_URL: 'http://portico.example',
      PORTAL_OIDC: JSON.stringify([
        { id: 'gone', issuer: `http://127.0.0.1:${await freePort()}`, ...away },
        { id: 'silent', issuer: `http://127.0.0.1:${port}`, ...away },
      ]),
    },
  });
  try {
    const headers = { Origin: 'http://portico.example' };
    const through = (id: string) =>
      new Browser(lonely.url).post('/portal/auth/sign-in/social', { provider: id }, { headers });
    let answered = false;
    const both = Promise.all([through('gone'), through('silent')]).finally(() => {
      answered = true;
    });
    const owner = await makeOwner(gateway.database);
    const own = await new Browser(lonely.url).post(
      '/portal/auth/sign-in/email',
      { email: owner.email, password: PASSWORD },
      { headers },
    );
    expect(own.status).toBe(200);
    expect(answered).toBe(false);
    for (const got of await both) expectRefusal(got, 503, 'service_unavailable');
    expectRefusal(await through('unknown'), 404, 'resource_not_found');
    const back = await new Browser(lonely.url).get('/portal/auth/callback/gone?code=x&state=y');
    expect(back.headers.get('location')).toMatch(
      /^http:\/\/portico\.example\/portal\/sign-in\?error=|^\/portal\/sign-in\?error=/,
    );
  } finally {
    await lonely.stop();
    silent.closeAllConnections();
    silent.close();
  }
});

it.each(['openid-configuration', 'jwks'])('a provider whose %s is very long is not used', async (long) => {
  const server = createServer((request, response) => {
    const issuer = `http://${request.headers.host}`;
    const document = {
      ...{ issuer, authorization_endpoint: `${issuer}/a`, token_endpoint: `${issuer}/t`, jwks_uri: `${issuer}/jwks` },
      keys: [],
    };
    response.end(JSON.stringify(document) + ' '.repeat(request.url?.endsWith(long) ? 1_500_000 : 0));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const one = { id: 'long', label: 'Long', issuer: `http://127.0.0.1:${port}`, firm_id: firm.id, ...CLIENT };
  const portal = 'http://portico.example';
  const served = await startGateway({
    databaseUrl: gateway.databaseUrl,
    env: { PORTAL_URL: portal, PORTAL_OIDC: JSON.stringify([one]) },
  });
  try {
    const headers = { Origin: portal };
    const got = await new Browser(served.url).post('/portal/auth/sign-in/social', { provider: one.id }, { headers });
    expectRefusal(got, 503, 'service_unavailable');
  } finally {
    await served.stop();
    server.closeAllConnections();
    server.close();
  }
});
