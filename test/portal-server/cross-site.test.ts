// The portal refuses requests that a page of another site could make a browser send.
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { Browser, expectRefusal } from './browser.ts';
import { makeOwner, PASSWORD, signedIn } from './people.ts';

let gateway: TestGateway;
let browser: Browser;
let email: string;
beforeAll(async () => {
  gateway = await startGateway();
  ({ email } = await makeOwner(gateway.database));
  browser = await signedIn(gateway.url, { email });
});
afterAll(() => gateway.stop());

const WRITES: [string, object][] = [
  ['/portal/graphql', { operation: 'Viewer' }],
  ['/portal/auth/sign-in/email', { email: 'a@example.com', password: 'b' }],
  ['/portal/auth/sign-out', {}],
  ['/portal/auth/sign-out-everywhere', {}],
  ['/portal/auth/act-as', { user_id: 'x' }],
  ['/portal/auth/end-session', { id: 'x' }],
  ['/portal/auth/request-password-reset', { email: 'a@example.com' }],
  ['/portal/auth/reset-password', { token: 'x', newPassword: 'a long enough password' }],
  ['/portal/auth/two-factor/disable', { password: PASSWORD }],
  ['/portal/auth/link', { token: 'x' }],
];

describe.each(WRITES)('%s', (path, body) => {
  it.each([
    ['another origin', { Origin: 'https://evil.example' }],
    ['another port', { Origin: 'http://127.0.0.1:1' }],
    ['another scheme', { Origin: 'null' }],
    ['no origin', { Origin: null }],
    ['a page of another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a sibling domain', { 'Sec-Fetch-Site': 'same-site' }],
    ['an address typed in', { 'Sec-Fetch-Site': 'none' }],
  ])('is refused from %s', async (_from, headers) => {
    expectRefusal(await browser.post(path, body, { headers }), 403, 'cross_site_request');
  });

  it.each(['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain', null])(
    'is refused with a content type that forms can send: %s',
    async (type) => {
      const got = await browser.post(path, 'email=a%40example.com&password=b', { headers: { 'Content-Type': type } });
      expectRefusal(got, 415, 'unsupported_media_type');
    },
  );
});

it('the refused requests did not end the session', async () => {
  expect((await browser.operation('Viewer')).status).toBe(200);
});

it("passkeys belong to the portal's host, not to one that the request names in its target", async () => {
  const { port, host } = new URL(gateway.url);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const headers = { Host: host, Origin: gateway.url, 'Content-Type': 'application/json' };
  const path = 'http://evil.example/portal/auth/passkey/begin-sign-in';
  const sent = request({ host: '127.0.0.1', port, method: 'POST', path, headers }, (response) => {
    response
      .setEncoding('utf8')
      .reduce((text, chunk: string) => text + chunk, '')
      .then(resolve, reject);
  });
  sent.on('error', reject).end('{}');
  expect(JSON.parse(await promise).options.rpId).toBe('127.0.0.1');
});

it('a browser that does not send Sec-Fetch-Site must send an Origin', async () => {
  const send = (headers: Record<string, string | null>) =>
    browser.post('/portal/graphql', { operation: 'Viewer' }, { headers: { 'Sec-Fetch-Site': null, ...headers } });
  expect((await send({})).status).toBe(200);
  for (const Origin of [null, 'https://evil.example']) expectRefusal(await send({ Origin }), 403, 'cross_site_request');
});

it('with PORTAL_URL set, only requests from that origin are accepted', async () => {
  const named = await startGateway({ databaseUrl: gateway.databaseUrl, env: { PORTAL_URL: 'http://portico.example' } });
  try {
    const one = new Browser(named.url);
    const signIn = (origin: string) =>
      one.post('/portal/auth/sign-in/email', { email, password: PASSWORD }, { headers: { Origin: origin } });
    expectRefusal(await signIn(named.url), 403, 'cross_site_request');
    expect((await signIn('http://portico.example')).status).toBe(200);
  } finally {
    await named.stop();
  }
});
