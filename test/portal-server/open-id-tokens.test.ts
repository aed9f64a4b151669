// Guarantee: a provider's word is its signed token, given in answer to a way that began at this very provider.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { createUser } from '#repositories/users.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makeFirm } from '#test/support/scenario.ts';
import { Browser, expectRefusal, type Got } from './browser.ts';
import { newEmail } from './people.ts';

const ORIGIN = 'http://portico.example';
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const { privateKey: foreignKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

let gateway: TestGateway;
let close: () => void;
/** What the provider answers next in exchange for a code. */
let tokens: Record<string, unknown>;
let claims: Record<string, unknown>;
let issuer: string;
/** What it calls itself. */
let says: string;
/** Where its endpoints are. */
let place = '';
let browser: Browser;

beforeAll(async () => {
  const jwk = { ...publicKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' };
  const server = createServer((request, response) => {
    const documents: Record<string, () => unknown> = {
      '/.well-known/openid-configuration': () => ({
        issuer: says,
        authorization_endpoint: `${issuer}${place}/authorize`,
        token_endpoint: `${issuer}${place}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/keys`,
        id_token_signing_alg_values_supported: ['RS256'],
      }),
      '/keys': () => ({ keys: [jwk] }),
      [`${place}/token`]: () => tokens,
      '/userinfo': () => claims,
    };
    const body = documents[request.url ?? '']?.();
    response.writeHead(body === undefined ? 404 : 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  says = issuer;
  const first = await startGateway();
  const [one, two] = [await makeFirm(first.database), await makeFirm(first.database)];
  const email = newEmail();
  claims = { sub: 'employee', email, email_verified: true, name: 'Employee' };
  await createUser(first.database, { role: 'firm_member', email, name: 'Member', firmId: one.id });
  await createUser(first.database, {
    role: 'client',
    email,
    name: 'Client',
    environment: 'production',
    reportingCurrency: 'USD',
  });
  const provider = { label: 'Firm', issuer, client_id: 'portico', client_secret: 'secret' };
  const providers = [
    { id: 'one', firm_id: one.id, ...provider },
    { id: 'other', firm_id: one.id, ...provider },
    { id: 'two', firm_id: two.id, ...provider },
  ];
  gateway = await startGateway({
    databaseUrl: first.databaseUrl,
    env: { PORTAL_URL: ORIGIN, TRUST_PROXY: '127.0.0.1', PORTAL_OIDC: JSON.stringify(providers) },
  });
  close = () => {
    server.closeAllConnections();
    server.close();
    void first.stop();
  };
});
afterAll(async () => {
  await gateway?.stop();
  close?.();
});
beforeEach(() => {
  browser = new Browser(gateway.url);
});

/** Goes to the provider; the state and nonce that it was sent. */
async function begin(provider: string): Promise<{ state: string; nonce: string; path: string }> {
  const { body } = await browser.post('/portal/auth/sign-in/social', { provider }, { headers: { Origin: ORIGIN } });
  const { searchParams: asked, pathname: path } = new URL(body.url);
  return { state: asked.get('state') ?? '', nonce: asked.get('nonce') ?? '', path };
}

/** A token of the provider's, in answer to the question with this nonce. */
function signed(nonce: string, key: KeyObject = privateKey): string {
  const now = Math.floor(Date.now() / 1_000);
  const text = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const payload = { ...claims, nonce, iss: issuer, aud: 'portico', iat: now, exp: now + 300 };
  const signedPart = `${text({ alg: 'RS256' })}.${text(payload)}`;
  return `${signedPart}.${sign('sha256', Buffer.from(signedPart), key).toString('base64url')}`;
}

const comeBack = (provider: string, state: string) =>
  browser.get(`/portal/auth/callback/${provider}?code=any&state=${encodeURIComponent(state)}`);

async function expectIn(got: Got): Promise<void> {
  expect(got.headers.get('location')).toBe('/portal/');
  const viewer = await browser.post('/portal/graphql', { operation: 'Viewer' }, { headers: { Origin: ORIGIN } });
  expect(viewer.body.data.role).toBe('firm_member');
}

async function expectTurnedAway(got: Got): Promise<void> {
  expect(got.status).toBe(302);
  expect(got.headers.get('location')).toMatch(/\/portal\/sign-in\?error=\w+/);
  const viewer = await browser.post('/portal/graphql', { operation: 'Viewer' }, { headers: { Origin: ORIGIN } });
  expectRefusal(viewer, 401, 'not_signed_in');
}

it('who answers in the name of another issuer is not asked', async () => {
  says = 'https://another.example';
  const got = await browser.post('/portal/auth/sign-in/social', { provider: 'two' }, { headers: { Origin: ORIGIN } });
  expectRefusal(got, 503, 'service_unavailable');
  says = issuer;
  expect((await begin('two')).state).not.toBe('');
});

it('a signed token opens a session', async () => {
  const { state, nonce } = await begin('one');
  tokens = { access_token: 'any', token_type: 'Bearer', id_token: signed(nonce) };
  await expectIn(await comeBack('one', state));
});

it('a provider that has moved its endpoints is followed, also by those who are on their way', async () => {
  const { state, nonce, path } = await begin('one');
  expect(path).toBe('/authorize');
  place = '/moved';
  const now = performance.now.bind(performance);
  try {
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 600_000);
    tokens = { access_token: 'any', token_type: 'Bearer', id_token: signed(nonce) };
    await expectIn(await comeBack('one', state));
    expect((await begin('one')).path).toBe('/moved/authorize');
  } finally {
    vi.restoreAllMocks();
  }
});

it('an answer without a signed token opens none, whatever the provider says elsewhere', async () => {
  const { state } = await begin('one');
  tokens = { access_token: 'any', token_type: 'Bearer' };
  await expectTurnedAway(await comeBack('one', state));
  // Nor for somebody who has signed in that way before.
  const again = await begin('one');
  tokens = { access_token: 'any', token_type: 'Bearer', id_token: '' };
  await expectTurnedAway(await comeBack('one', again.state));
});

it('a token that another signed, or that answers another question, opens none', async () => {
  const first = await begin('one');
  tokens = { access_token: 'any', token_type: 'Bearer', id_token: signed(first.nonce, foreignKey) };
  await expectTurnedAway(await comeBack('one', first.state));
  const second = await begin('one');
  tokens = { access_token: 'any', token_type: 'Bearer', id_token: signed('of another question') };
  await expectTurnedAway(await comeBack('one', second.state));
});

it('a way that began at one provider does not end at another', async () => {
  const { state, nonce } = await begin('one');
  tokens = { access_token: 'any', token_type: 'Bearer', id_token: signed(nonce) };
  await expectTurnedAway(await comeBack('other', state));
  // Where both were begun, each ends where it began.
  const [one, other] = [await begin('one'), await begin('other')];
  tokens = { access_token: 'any', token_type: 'Bearer', id_token: signed(one.nonce) };
  await expectTurnedAway(await comeBack('other', one.state));
  tokens = { access_token: 'any', token_type: 'Bearer', id_token: signed(other.nonce) };
  await expectIn(await comeBack('other', other.state));
});

it('a way back that was taken at the wrong provider is not open at the right one afterwards', async () => {
  const { state, nonce } = await begin('one');
  tokens = { access_token: 'any', token_type: 'Bearer', id_token: signed(nonce) };
  const cookies = browser.cookies().replaceAll('.one=', '.other=');
  const forged = await browser.get(`/portal/auth/callback/other?code=any&state=${encodeURIComponent(state)}`, {
    headers: { Cookie: cookies },
  });
  await expectTurnedAway(forged);
});
