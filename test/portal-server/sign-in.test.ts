// Signing in with address and password; refusals do not reveal who has an account.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUser } from '#repositories/users.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makeFirm } from '#test/support/scenario.ts';
import { Browser, expectRefusal } from './browser.ts';
import { makeMember, makeOperator, makeOwner, newEmail, PASSWORD } from './people.ts';

const SIGN_IN = '/portal/auth/sign-in/email';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const browser = () => new Browser(gateway.url);

it('members, clients and operators sign in with their own role', async () => {
  const firm = await makeFirm(gateway.database);
  const people = [
    await makeMember(gateway.database, firm),
    await makeOwner(gateway.database),
    await makeOperator(gateway.database),
  ];
  for (const user of people) {
    const one = browser();
    await one.signIn(user.email, PASSWORD);
    const { body } = await one.get('/portal/auth/me');
    expect(body).toMatchObject({ email: user.email, acting_as: user.id, second_factor: false, has_password: true });
    const viewer = await one.operation('Viewer');
    expect(viewer.body.data).toMatchObject({ userId: user.id, role: user.role });
  }
});

it('the case of the address does not matter', async () => {
  const user = await makeOwner(gateway.database, `Mixed.${newEmail()}`);
  const one = browser();
  await one.signIn(user.email.toUpperCase(), PASSWORD);
  expect((await one.get('/portal/auth/me')).body.acting_as).toBe(user.id);
});

it('the session is in a cookie that scripts, other sites and other paths do not get', async () => {
  const user = await makeOwner(gateway.database);
  const { headers, text } = await browser().post(SIGN_IN, { email: user.email, password: PASSWORD });
  // The cookie of the device opens no session; it marks the device as known.
  const [cookie = '', device = '', ...others] = headers.getSetCookie();
  expect(others).toEqual([]);
  expect(cookie).toMatch(/^portico\.session_token=\S+; /);
  for (const attribute of ['HttpOnly', 'SameSite=Lax', 'Path=/portal', 'Max-Age=43200'])
    expect(cookie.split('; ')).toContain(attribute);
  expect(device).toMatch(/^portico\.device\.\S+=\S+; /);
  for (const attribute of ['HttpOnly', 'SameSite=Lax', 'Path=/portal/auth'])
    expect(device.split('; ')).toContain(attribute);
  const token = decodeURIComponent(cookie.split(/[=;]/)[1] ?? '').split('.')[0] ?? '';
  expect(token.length).toBeGreaterThan(20);
  expect(text).not.toContain(token);
});

it('with an https PORTAL_URL, cookies are Secure and responses have Strict-Transport-Security', async () => {
  const secure = await startGateway({
    databaseUrl: gateway.databaseUrl,
    env: { PORTAL_URL: 'https://portico.example' },
  });
  try {
    const user = await makeOwner(gateway.database);
    const { status, headers } = await new Browser(secure.url).post(
      SIGN_IN,
      { email: user.email, password: PASSWORD },
      { headers: { Origin: 'https://portico.example' } },
    );
    expect(status).toBe(200);
    expect(headers.getSetCookie()[0]).toMatch(/^__Secure-portico\.session_token=.*; Secure/);
    for (const cookie of headers.getSetCookie()) expect(cookie).toMatch(/; Secure/);
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
  } finally {
    await secure.stop();
  }
});

it('a changed or forged session cookie is refused', async () => {
  const user = await makeOwner(gateway.database);
  const one = browser();
  await one.signIn(user.email, PASSWORD);
  const cookie = one.cookies();
  const token = cookie.split('=')[1]?.split('.')[0] ?? '';
  const unsigned = [
    '',
    'x',
    token,
    `${token}.${'A'.repeat(43)}%3D`,
    cookie.split('=')[1]?.replace(token, 'a'.repeat(32)),
  ];
  for (const value of unsigned) {
    const got = await browser().get('/portal/auth/me', { headers: { Cookie: `portico.session_token=${value}` } });
    expectRefusal(got, 401, 'not_signed_in');
  }
});

describe('a refusal', () => {
  it('is the same for a wrong password, an unknown address and a user without a password', async () => {
    const user = await makeOwner(gateway.database);
    const bare = await createUser(gateway.database, { role: 'ops', email: newEmail(), name: 'Not invited yet' });
    const texts = new Set<string>();
    for (const email of [user.email, newEmail(), bare.email, 'no address', '']) {
      const got = await browser().post(SIGN_IN, { email, password: 'not the password' });
      expectRefusal(got, 401, 'invalid_credentials');
      expect(got.headers.getSetCookie()).toEqual([]);
      texts.add(got.body.error.message);
    }
    expect(texts.size).toBe(1);
  });

  it('is 400 for a missing password, another type and a malformed body', async () => {
    for (const body of [{ email: 'a@example.com' }, { email: 'a@example.com', password: 1 }])
      expectRefusal(await browser().post(SIGN_IN, body), 400, 'invalid_parameter');
    expectRefusal(await browser().post(SIGN_IN, '[]'), 400, 'invalid_body');
    expectRefusal(await browser().post(SIGN_IN, '{'), 400, 'invalid_body');
  });

  it('is 404 for signing up, because accounts are created by invitation', async () => {
    for (const path of ['/portal/auth/sign-up/email', '/portal/auth/list-sessions', '/portal/auth/delete-user'])
      expect((await browser().post(path, { email: newEmail(), password: PASSWORD, name: 'X' })).status).toBe(404);
  });
});

it('a person with several identities acts as one of them, and can switch within the session', async () => {
  const firm = await makeFirm(gateway.database);
  const email = newEmail();
  const member = await makeMember(gateway.database, firm, email);
  const production = await makeOwner(gateway.database, email, 'production');
  const sandbox = await makeOwner(gateway.database, email.toUpperCase(), 'sandbox');
  const stranger = await makeOwner(gateway.database);
  const one = browser();
  await one.signIn(email, PASSWORD);

  const { body: me } = await one.get('/portal/auth/me');
  expect(me.acting_as).toBe(member.id);
  expect(me.identities).toEqual([
    {
      user_id: member.id,
      name: 'Member',
      role: 'firm_member',
      firm: { id: firm.id, name: firm.name },
      environment: null,
    },
    { user_id: production.id, name: 'Owner', role: 'client', firm: null, environment: 'production' },
    { user_id: sandbox.id, name: 'Owner', role: 'client', firm: null, environment: 'sandbox' },
  ]);

  const changed = await one.post('/portal/auth/act-as', { user_id: sandbox.id });
  expect(changed.body.acting_as).toBe(sandbox.id);
  expect((await one.operation('Viewer')).body.data).toMatchObject({ userId: sandbox.id, environment: 'sandbox' });
  expectRefusal(await one.operation('FirmKeys'), 403, 'forbidden');

  for (const id of [stranger.id, 'usr_none', firm.id])
    expectRefusal(await one.post('/portal/auth/act-as', { user_id: id }), 404, 'resource_not_found');
  expect((await one.operation('Viewer')).body.data.userId).toBe(sandbox.id);

  // The next sign-in starts with the identity used last.
  const later = browser();
  await later.signIn(email, PASSWORD);
  expect((await later.get('/portal/auth/me')).body.acting_as).toBe(sandbox.id);
});
