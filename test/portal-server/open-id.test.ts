// Guarantee: a firm's OpenID provider lets in that firm's members, with addresses it has verified, and nobody else.
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
import { CLIENT, type OpenIdProvider, openProvider, signInThrough, wayBack } from './open-id-provider.ts';
import { makeMember, makeOwner, newEmail, PASSWORD } from './people.ts';

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

/** Somebody whom the provider knows under this address. */
function employ(email: string, verified = true): string {
  const subject = `employee-${++subjects}`;
  provider.employees.set(subject, { email, email_verified: verified, name: 'Employee' });
  return subject;
}

/** A member who has no password. */
const makeBareMember = (of: Firm = firm): Promise<User> =>
  createUser(gateway.database, { role: 'firm_member', email: newEmail(), name: 'Member', firmId: of.id });

async function expectTurnedAway(subject: string, error: string): Promise<void> {
  const got = await signInThrough(browser, 'open', subject);
  expect(got.status).toBe(302);
  const to = new URL(got.headers.get('location') ?? '', gateway.url);
  expect(to.pathname).toBe('/portal/sign-in');
  expect(to.searchParams.get('error')).toBe(error);
  expectRefusal(await browser.operation('Viewer'), 401, 'not_signed_in');
}

it('is offered on the sign-in page by its label, and nothing else of it is told', async () => {
  const { body, text } = await browser.get('/portal/auth/options');
  expect(body.providers).toEqual([
    { id: 'open', label: 'Open & Co' },
    { id: 'closed', label: 'Closed & Co' },
  ]);
  expect(text).not.toContain(CLIENT.client_secret);
});

it('signs a member in who never was here before, with proof of possession and a state of its own', async () => {
  const member = await makeBareMember();
  const { body } = await browser.post('/portal/auth/sign-in/social', { provider: 'open' });
  const asked = new URL(body.url).searchParams;
  expect(asked.get('code_challenge_method')).toBe('S256');
  expect(asked.get('code_challenge')?.length).toBeGreaterThan(40);
  expect(asked.get('state')?.length).toBeGreaterThan(20);
  expect(asked.get('nonce')?.length).toBeGreaterThan(20);

  const got = await signInThrough(browser, 'open', employ(member.email.toUpperCase()));
  expect(got.status).toBe(302);
  expect(got.headers.get('location')).toBe('/portal/');
  const { body: me } = await browser.get('/portal/auth/me');
  expect(me).toMatchObject({ email: member.email, provider: 'open', has_password: false, acting_as: member.id });
  expect((await browser.operation('Viewer')).body.data.firm.id).toBe(firm.id);
});

const opened = ({ headers }: { headers: Headers }) =>
  headers.getSetCookie().some((line) => /session_token=[^;]/.test(line));

it('the way back works once', async () => {
  const url = await wayBack(browser, 'open', employ((await makeBareMember()).email));
  const twin = browser.twin();
  expect(opened(await browser.get(url))).toBe(true);
  for (const other of [twin, browser]) {
    const again = await other.get(url);
    expect(again.headers.get('location')).toMatch(/error=/);
    expect(opened(again)).toBe(false);
  }
});

it('the way back works only in the browser that went', async () => {
  const url = await wayBack(browser, 'open', employ((await makeBareMember()).email));
  const other = new Browser(gateway.url);
  await other.post('/portal/auth/sign-in/social', { provider: 'open' });
  const got = await other.get(url);
  expect(got.headers.get('location')).toMatch(/error=/);
  expect(opened(got)).toBe(false);
  expectRefusal(await other.operation('Viewer'), 401, 'not_signed_in');
});

describe('turned away is', () => {
  it('an employee whom the firm has not made a member', async () => {
    const email = newEmail();
    await expectTurnedAway(employ(email), 'not_a_member');
    const text = 'select 1 from portal_accounts where email = $1';
    expect(await gateway.database.query({ text, values: [email] })).toEqual([]);
  });

  it('an address that the provider has not verified', async () => {
    await expectTurnedAway(employ((await makeBareMember()).email, false), 'not_a_member');
    // Also where there is an account that it could be tied to.
    const member = await makeMember(gateway.database, firm);
    await expectTurnedAway(employ(member.email, false), 'not_a_member');
  });

  it("another firm's member", async () => {
    await expectTurnedAway(employ((await makeBareMember(closedFirm)).email), 'not_a_member');
  });

  it('a client, and one of operations', async () => {
    const owner = await makeOwner(gateway.database);
    await expectTurnedAway(employ(owner.email), 'not_a_member');
    const operator = await createUser(gateway.database, { role: 'ops', email: newEmail(), name: 'Ops' });
    await expectTurnedAway(employ(operator.email), 'not_a_member');
  });

  it('a member from the day on which they are none any more', async () => {
    const member = await makeBareMember();
    const subject = employ(member.email);
    await signInThrough(browser, 'open', subject);
    expect((await browser.operation('Viewer')).status).toBe(200);
    const text = 'update users set firm_id = $2 where id = $1';
    await gateway.database.query({ text, values: [member.id, closedFirm.id] });
    expectRefusal(await browser.operation('Viewer'), 401, 'not_signed_in');
    browser = new Browser(gateway.url);
    await expectTurnedAway(subject, 'not_a_member');
  });
});

it("a firm's provider opens nothing of a person but their membership, whatever else they are here", async () => {
  const email = newEmail();
  const client = await makeOwner(gateway.database, email);
  const member = await makeMember(gateway.database, firm, email);
  const own = new Browser(gateway.url);
  await own.signIn(email, PASSWORD);

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

it("a provider's word is for the address that it vouches for now, not for whoever had another of the same person's", async () => {
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

it("a firm's provider changes nothing by which a person proves who they are, with their password neither", async () => {
  const member = await makeMember(gateway.database, firm);
  const own = new Browser(gateway.url);
  await own.signIn(member.email, PASSWORD);
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

it('what the provider hands out besides is not kept', async () => {
  await signInThrough(browser, 'open', employ((await makeBareMember()).email));
  const rows = await gateway.database.query({
    text: `select oauth_access, oauth_refresh, oauth_identity, password_hash from portal_credentials where provider = 'open'`,
  });
  expect(new Set(rows.flatMap((row) => Object.values(row)))).toEqual(new Set([null]));
});

describe('where a firm signs in through its provider only', () => {
  it('its members have no use for a password', async () => {
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

  it('a password still opens what else somebody is here', async () => {
    const email = newEmail();
    const client = await makeOwner(gateway.database, email);
    await makeMember(gateway.database, closedFirm, email);
    await browser.signIn(email, PASSWORD);
    const { body: me } = await browser.get('/portal/auth/me');
    expect(me.identities.map((one: { user_id: string }) => one.user_id)).toEqual([client.id]);
  });
});

it('a provider that is configured no more has opened nothing', async () => {
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

it('a provider that is away or silent keeps nobody waiting but those who go through it', {
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
