// A passkey signs in only with its own signature of a challenge that was issued for that, on the portal's own pages,
// after its device has recognised the person.
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { User } from '#repositories/users.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { Authenticator, type Lie } from './authenticator.ts';
import { Browser, expectRefusal } from './browser.ts';
import { makeOwner, PASSWORD, signedIn } from './people.ts';

const AUTH = '/portal/auth/passkey';

let gateway: TestGateway;
beforeAll(async () => {
  // Each browser has an address of its own, so that no limit is reached.
  gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.1' } });
});
afterAll(() => gateway.stop());

let user: User;
let browser: Browser;
let device: Authenticator;
beforeEach(async () => {
  user = await makeOwner(gateway.database);
  browser = await signedIn(gateway.url, user);
  device = new Authenticator(gateway.url);
});

async function challengeToAdd(one = browser): Promise<string> {
  const { status, body } = await one.post(`${AUTH}/begin-adding`, { password: PASSWORD });
  expect(status).toBe(200);
  return body.options.challenge;
}

async function challengeToSignIn(one = new Browser(gateway.url)): Promise<string> {
  return (await one.post(`${AUTH}/begin-sign-in`)).body.options.challenge;
}

const add = (response: string) => browser.post(`${AUTH}/add`, { name: 'Key', response });
const signIn = (response: string, one = new Browser(gateway.url)) => one.post(`${AUTH}/sign-in`, { response });

const stored = () =>
  gateway.database.query({
    text: `select from portal_passkeys p join portal_accounts a on a.id = p.account_id where a.email = $1`,
    values: [user.email],
  });

const expire = () => gateway.database.query({ text: `update portal_verifications set expires_at = now()` });

const LIES: [string, Lie][] = [
  ['of another challenge', { challenge: Buffer.from('a challenge that nobody issued').toString('base64url') }],
  ['from a page of another site', { origin: 'https://elsewhere.example' }],
  ['from another port of the host', { origin: 'http://127.0.0.1:1' }],
  ['for another host', { rpId: 'elsewhere.example' }],
  ['of a device that has not recognised the person', { verified: false }],
  ['of a device that nobody touched', { present: false }],
];

describe('adding a passkey', () => {
  it('takes one response to a challenge of the account', async () => {
    const response = device.create(await challengeToAdd());
    expect((await add(response)).status).toBe(200);
    expect(await stored()).toHaveLength(1);
    expectRefusal(await add(response), 401, 'invalid_credentials');
  });

  it.each<[string, Lie]>([...LIES, ['to a sign-in', { type: 'webauthn.get' }]])(
    'refuses a response %s',
    async (_what, lie) => {
      expectRefusal(await add(device.create(await challengeToAdd(), lie)), 401, 'invalid_credentials');
      expect(await stored()).toEqual([]);
    },
  );

  it('refuses a challenge of another account, of a sign-in, and one that has expired', async () => {
    const other = await signedIn(gateway.url, await makeOwner(gateway.database));
    for (const challenge of [await challengeToAdd(other), await challengeToSignIn()])
      expectRefusal(await add(device.create(challenge)), 401, 'invalid_credentials');
    const challenge = await challengeToAdd();
    await expire();
    expectRefusal(await add(device.create(challenge)), 401, 'invalid_credentials');
    expect(await stored()).toEqual([]);
  });
});

describe('an account’s maximum of 20 passkeys', () => {
  const fill = (count: number) =>
    gateway.database.query({
      text: `insert into portal_passkeys (id, account_id, name, credential_id, public_key)
        select 'pk_' || a.id || n, a.id, 'Key', a.id || n, '' from portal_accounts a, generate_series(1, $2) n
        where a.email = $1`,
      values: [user.email, count],
    });

  it('refuses a further one before its device is asked', async () => {
    await fill(20);
    expectRefusal(await browser.post(`${AUTH}/begin-adding`, { password: PASSWORD }), 409, 'invalid_transition');
  });

  it('holds for passkeys that are added at the same time', async () => {
    await fill(19);
    const responses: string[] = [];
    while (responses.length < 3) responses.push(new Authenticator(gateway.url).create(await challengeToAdd()));
    const added = await Promise.all(responses.map(add));
    expect(added.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect(await stored()).toHaveLength(20);
  });
});

describe('signing in with a passkey', () => {
  beforeEach(async () => {
    expect((await add(device.create(await challengeToAdd()))).status).toBe(200);
  });

  it('takes one response to a challenge, and opens the account of the passkey', async () => {
    const response = device.get(await challengeToSignIn());
    const one = new Browser(gateway.url);
    expect((await signIn(response, one)).status).toBe(200);
    expect((await one.get('/portal/auth/me')).body).toMatchObject({ email: user.email, acting_as: user.id });
    expectRefusal(await signIn(response), 401, 'invalid_credentials');
  });

  it.each<[string, Lie]>([
    ...LIES,
    ['to the adding of a passkey', { type: 'webauthn.create' }],
    ['with the signature of another key', { signer: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }],
  ])('refuses a response %s', async (_what, lie) => {
    const one = new Browser(gateway.url);
    expectRefusal(await signIn(device.get(await challengeToSignIn(), lie), one), 401, 'invalid_credentials');
    expect(one.cookies()).toBe('');
  });

  it('refuses a challenge for adding one, one that has expired, and a passkey that is not registered', async () => {
    expectRefusal(await signIn(device.get(await challengeToAdd())), 401, 'invalid_credentials');
    const challenge = await challengeToSignIn();
    await expire();
    expectRefusal(await signIn(device.get(challenge)), 401, 'invalid_credentials');
    const stranger = new Authenticator(gateway.url);
    expectRefusal(await signIn(stranger.get(await challengeToSignIn())), 401, 'invalid_credentials');
  });

  it('refuses a counter that was seen before, as a copy of the device would send it', async () => {
    const [first, second] = [await challengeToSignIn(), await challengeToSignIn()];
    const [earlier, later] = [device.get(first), device.get(second)];
    expect((await signIn(later)).status).toBe(200);
    expectRefusal(await signIn(earlier), 401, 'invalid_credentials');
  });
});
