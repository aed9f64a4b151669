// Guarantee: nobody tries passwords, links or codes for long, and whoever is turned away learns when to come back.
import { afterEach, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { Browser, expectRefusal, type Got } from './browser.ts';
import { makeOwner, newEmail, PASSWORD } from './people.ts';

let gateway: TestGateway;
afterEach(() => gateway.stop());

const browser = () => new Browser(gateway.url);
const attempt = (email: string, password: string, address?: string) =>
  browser().post(
    '/portal/auth/sign-in/email',
    { email, password },
    { headers: address === undefined ? {} : { 'X-Forwarded-For': address } },
  );

function expectThrottled(got: Got): void {
  expectRefusal(got, 429, 'rate_limit_exceeded');
  const seconds = Number(got.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(61);
}

it('an address of a person is tried ten times a minute, from wherever, with the right password too', async () => {
  gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.1' } });
  const user = await makeOwner(gateway.database);
  for (let number = 1; number <= 10; number++)
    expectRefusal(await attempt(user.email, `wrong ${number}`, `192.0.2.${number}`), 401, 'invalid_credentials');
  expectThrottled(await attempt(user.email, PASSWORD, '192.0.2.99'));
  expectThrottled(await attempt(user.email.toUpperCase(), PASSWORD, '192.0.2.99'));
  const other = await makeOwner(gateway.database);
  expect((await attempt(other.email, PASSWORD, '192.0.2.99')).status).toBe(200);
});

it('attempts that come together are counted like those that come one by one', async () => {
  gateway = await startGateway();
  const user = await makeOwner(gateway.database);
  const all = await Promise.all(Array.from({ length: 30 }, () => attempt(user.email, 'wrong password')));
  const statuses = Object.groupBy(all, ({ status }) => status);
  expect(statuses[401]).toHaveLength(10);
  expect(statuses[429]).toHaveLength(20);
});

it('an unknown address is throttled like a known one', async () => {
  gateway = await startGateway();
  const email = newEmail();
  for (let number = 0; number < 10; number++) await attempt(email, 'wrong password');
  expectThrottled(await attempt(email, 'wrong password'));
});

it('whoever tries many people from one place is stopped there', async () => {
  gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.1' } });
  const tries = Array.from({ length: 60 }, () => attempt(newEmail(), 'x', '192.0.2.7'));
  for (const { status } of await Promise.all(tries)) expect(status).toBe(401);
  expectThrottled(await attempt(newEmail(), 'x', '192.0.2.7'));
  const link = await browser().post(
    '/portal/auth/link',
    { token: 'guess' },
    { headers: { 'X-Forwarded-For': '192.0.2.7' } },
  );
  expectThrottled(link);
  expectRefusal(await attempt(newEmail(), 'x', '192.0.2.8'), 401, 'invalid_credentials');
});

it('an address that the caller makes up counts for nothing without a proxy', async () => {
  gateway = await startGateway();
  const user = await makeOwner(gateway.database);
  const tries = Array.from({ length: 60 }, (_, number) => attempt(newEmail(), 'x', `192.0.2.${number}`));
  await Promise.all(tries);
  expectThrottled(await attempt(user.email, PASSWORD, '192.0.2.77'));
});

it('a password is guessed no faster by whoever is signed in', async () => {
  gateway = await startGateway();
  const user = await makeOwner(gateway.database);
  const one = browser();
  await one.signIn(user.email, PASSWORD);
  const guess = () =>
    one.post('/portal/auth/change-password', { currentPassword: 'guess', newPassword: 'a long new password' });
  for (let number = 0; number < 10; number++) expectRefusal(await guess(), 400, 'wrong_password');
  expectThrottled(await guess());
});
