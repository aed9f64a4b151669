// A sign-in through OpenID takes an ID token that is signed by the provider at which the sign-in began.
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
/** The provider's next answer in exchange for a code. */
let tokens: Record<string, unknown>;
let claims: Record<string, unknown>;
let issuer: string;
/** The issuer that the provider reports. */
let reportedIssuer: string;
/** The path under which its endpoints are. */
let basePath = '';
let browser: Browser;

beforeAll(async () => {
  const jwk = { ...publicKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' };
  const server = createServer((request, response) => {
    const documents: Record<string, () => unknown> = {
      '/.well-known/openid-configuration': () => ({
        issuer: reportedIssuer,
        authorization_endpoint: `${issuer}${basePath}/authorize`,
        token_endpoint: `${issuer}${basePath}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/keys`,
        id_token_signing_alg_values_supported: ['RS256'],
      }),
      '/keys': () => ({ keys: [jwk] }),
      [`${basePath}/token`]: () => tokens,
      '/userinfo': () => claims,
    };
    const body = documents[request.url ?? '']?.();
    response.writeHead(body === undefined ? 404 : 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  reportedIssuer = issuer;
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

/** Begins a sign-in; returns the state and nonce that the provider gets, and the path of its page. */
async function begin(provider: string): Promise<{ state: string; nonce: string; path: string }> {
  const { body } = await browser.post('/portal/auth/sign-in/social', { provider }, { headers: { Origin: ORIGIN } });
  const { searchParams, pathname: path } = new URL(body.url);
  return { state: searchParams.get('state') ?? '', nonce: searchParams.get('nonce') ?? '', path };
}

/** The ID token for the sign-in with this nonce. */
function signed(nonce: string, key: KeyObject = privateKey): string {
  const now = Math.floor(Date.now() / 1_000);
  const text = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const payload = { ...claims, nonce, iss: issuer, aud: 'portico', iat: now, exp: now + 300 };
  const signedPart = `${text({ alg: 'RS256' })}.${text(payload)}`;
  return `${signedPart}.${sign('sha256', Buffer.from(signedPart), key).toString('base64url')}`;
}

const callBack = (provider: string, state: string) =>
  browser.get(`/portal/auth/callback/${provider}?code=any&state=${encodeURIComponent(state)}`);

async function expectSignedIn(got: Got): Promise<void> {
  expect(got.headers.get('location')).toBe('/portal/');
  const viewer = await browser.post('/portal/graphql', { operation: 'Viewer' }, { headers: { Origin: ORIGIN } });
  expect(viewer.body.data.role).toBe('firm_member');
}

async function expectRefused(got: Got): Promise<void> {
  expect(got.status).toBe(302);
  expect(got.headers.get('location')).toMatch(/\/portal\/sign-in\?error=\w+/);
  const viewer = await browser.post('/portal/graphql', { operation: 'Viewer' }, { headers: { Origin: ORIGIN } });
  expectRefusal(viewer, 401, 'not_signed_in');
}

it('a provider that reports another issuer is not used', async () => {
  reportedIssuer = 'https://another.example';
  const got = await browser.post('/portal/auth/sign-in/social', { provider: 'two' }, { headers: { Origin: ORIGIN } });
  expectRefusal(got, 503, 'service_unavailable');
  reportedIssuer = issuer;
  expect((await begin('two')).state).not.toBe('');
});

it('a signed token opens a session', async () => {
  const { state, nonce } = await begin('one');
  tokens = { access_token: 'any', token_type: 'Bearer', id_token: signed(nonce) };
  await expectSignedIn(await callBack('one', state));
});

it('the moved endpoints of a provider are used, also for sign-ins in progress', async () => {
  const { state, nonce, path } = await begin('one');
  expect(path).toBe('/authorize');
  basePath = '/moved';
  const now = performance.now.bind(performance);
  try {
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 600_000);
    tokens = { access_token: 'any', token_type: 'Bearer', id_token: signed(nonce) };
    await expectSignedIn(await callBack('one', state));
    expect((await begin('one')).path).toBe('/moved/authorize');
  } finally {
    vi.restoreAllMocks();
  }
});

it('an answer without an ID token opens no session, even if userinfo names a member', async () => {
  const { state } = await begin('one');
  tokens = { access_token: 'any', token_type: 'Bearer' };
  await expectRefused(await callBack('one', state));
  // An empty token is no token.
  const again = await begin('one');
  tokens = { access_token: 'any', token_type: 'Bearer', id_token: '' };
  await expectRefused(await callBack('one', again.state));
});

it('a token with a foreign signature or another nonce opens no session', async () => {
  const first = await begin('one');
  tokens = { access_token: 'any', token_type: 'Bearer', id_token: signed(first.nonce, foreignKey) };
  await expectRefused(await callBack('one', first.state));
  const second = await begin('one');
  tokens = { access_token: 'any', token_type: 'Bearer', id_token: signed('of another question') };
  await expectRefused(await callBack('one', second.state));
});

it('a sign-in that began at one provider cannot be completed at another', async () => {
  const { state, nonce } = await begin('one');
  tokens = { access_token: 'any', token_type: 'Bearer', id_token: signed(nonce) };
  await expectRefused(await callBack('other', state));
  // If one began at each, each is completed at its own provider only.
  const [one, other] = [await begin('one'), await begin('other')];
  tokens = { access_token: 'any', token_type: 'Bearer', id_token: signed(one.nonce) };
  await expectRefused(await callBack('other', one.state));
  tokens = { access_token: 'any', token_type: 'Bearer', id_token: signed(other.nonce) };
  await expectSignedIn(await callBack('other', other.state));
});

it('a refused callback at another provider leaves the sign-in to be completed once at its own', async () => {
  const { state, nonce } = await begin('one');
  tokens = { access_token: 'any', token_type: 'Bearer', id_token: signed(nonce) };
  const copy = browser.twin();
  await expectRefused(await callBack('other', state));
  await expectSignedIn(await callBack('one', state));
  browser = copy;
  await expectRefused(await callBack('one', state));
});
