// Risk: text that nobody would type reaches the sign-in library, and is answered as a failure of ours.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AUTH_PATHS } from '#portal/auth/auth-paths.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { Browser } from './browser.ts';
import { makeOwner, signedIn } from './people.ts';

let gateway: TestGateway;
beforeAll(async () => {
  // Each browser has an address of its own, so that no limit is reached.
  gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.1' } });
});
afterAll(() => gateway.stop());

/** Ten, since an account takes ten attempts in a minute. */
const TEXTS = [
  ...['null', '5', '[]', '{}', '{"id":null}', '{"id":"x","response":null}', '{"id":"\\u0000"}'],
  ...['\0', '\ud800', 'é'.repeat(3_000)],
];

const OTHERS: { path: string; members: string[] }[] = [
  { path: '/sign-in/social', members: ['provider'] },
  { path: '/link', members: ['token'] },
  { path: '/invitation', members: ['token'] },
  { path: '/join', members: ['token', 'name', 'password'] },
  { path: '/change-password', members: ['currentPassword', 'newPassword'] },
  { path: '/remove-passkey', members: ['password', 'id'] },
  { path: '/act-as', members: ['user_id'] },
  { path: '/end-session', members: ['id'] },
];

const ROUTES = [...AUTH_PATHS, ...OTHERS].filter(({ members }) => members.length > 0);

it.each(ROUTES)('$path answers every text with a refusal, with and without a session', async ({ path, members }) => {
  const failures: unknown[] = [];
  const own = await signedIn(gateway.url, await makeOwner(gateway.database));
  for (const text of TEXTS)
    for (const browser of [new Browser(gateway.url), own]) {
      const body = Object.fromEntries(members.map((name) => [name, text]));
      const { status } = await browser.post(`/portal/auth${path}`, body);
      if (status >= 500) failures.push({ text, status });
    }
  expect(failures).toEqual([]);
});

it.each(['session_token', 'two_factor', 'state', 'device'])('a cookie %s of any text opens nothing', async (name) => {
  const values = ['', '%', '%E0%A4%A', 'a.b', 'a.%%%', `${'a'.repeat(32)}.${'A'.repeat(43)}%3D`, '"', '\xff', 'a=b=c'];
  for (const value of values)
    for (const path of ['/portal/auth/me', '/portal/auth/two-factor/verify-totp']) {
      const browser = new Browser(gateway.url);
      const headers = { Cookie: `portico.${name}=${value}` };
      const got =
        path === '/portal/auth/me'
          ? await browser.get(path, { headers })
          : await browser.post(path, { code: '000000' }, { headers });
      expect([value, got.status]).toEqual([value, 401]);
    }
});
