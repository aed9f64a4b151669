// Guarantee: a key with allowed networks is refused from other addresses at once on every gateway, at no cost to its
// limit.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeKeySecret } from '#auth/key-format.ts';
import { changeKey } from '#repositories/keys/key-settings.ts';
import { rotateKey } from '#repositories/keys/keys.ts';
import { expectError } from '#test/support/answers.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner, pathFor } from '#test/support/partner.ts';
import { call, makeClient, makeFirm, makeKey } from '#test/support/scenario.ts';

const operator = { kind: 'operator', id: 'test' } as const;
const ANY = { lifetimeDays: null };

let gateway: TestGateway;
let other: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.1' } });
  other = await startGateway({ env: { TRUST_PROXY: '127.0.0.1' }, databaseUrl: gateway.databaseUrl });
});
afterAll(async () => {
  await other.stop();
  await gateway.stop();
});

const sandboxPartner = async (): Promise<Partner> => {
  const firm = await makeFirm(gateway.database);
  const key = await makeKey(gateway.database, firm, { environment: 'sandbox' });
  return makePartner(gateway, { key, client: await makeClient(gateway.database, { environment: 'sandbox' }) });
};

const allow = ({ key }: Partner, ...allowedNetworks: string[]) =>
  changeKey(gateway.database, key.id, { allowedNetworks }, operator, ANY);

const from = ({ key, client }: Partner, address: string, at = gateway) =>
  call(at.url + pathFor(client.id, '/assets'), key.secret, { headers: { 'X-Forwarded-For': address } });

it.each([
  ['203.0.113.0/24', '203.0.113.7', '203.0.114.7'],
  ['203.0.113.7', '203.0.113.7', '203.0.113.8'],
  ['203.0.113.0/24', '::ffff:203.0.113.7', '::ffff:203.0.114.7'],
  ['2001:db8:1::/48', '2001:db8:1:2::3', '2001:db8:2::3'],
  ['2001:db8::1', '2001:DB8:0:0::1', '203.0.113.7'],
  ['0.0.0.0/0', '198.51.100.1', '2001:db8::1'],
])('a key of the network %s is accepted from %s and refused from %s', async (network, inside, outside) => {
  const partner = await sandboxPartner();
  expect((await from(partner, outside)).status).toBe(200);
  await allow(partner, network);
  expect((await from(partner, inside)).status).toBe(200);
  const refused = await from(partner, outside);
  expectError(refused, 403, 'network_not_allowed');
  expect(refused.body.error.message).toContain('may not be used from');
});

it('the rightmost address that is not a trusted proxy decides', async () => {
  const partner = await sandboxPartner();
  await allow(partner, '203.0.113.0/24');
  expect((await from(partner, '203.0.113.7, 198.51.100.1')).status).toBe(403);
  expect((await from(partner, '198.51.100.1, 203.0.113.7')).status).toBe(200);
  expect((await call(gateway.url + pathFor(partner.client.id, '/assets'), partner.key.secret)).status).toBe(403);
});

it('networks are set and cleared at once on every gateway, despite cached admissions', async () => {
  const partner = await sandboxPartner();
  for (const networks of [['203.0.113.0/24'], [], ['203.0.113.0/24', '198.51.100.1'], ['203.0.113.0/24']])
    for (const at of [gateway, other, other, gateway]) {
      await allow(partner, ...networks);
      const allowed = networks.length === 0 || networks.includes('198.51.100.1');
      expect((await from(partner, '198.51.100.1', at)).status).toBe(allowed ? 200 : 403);
      expect((await from(partner, '203.0.113.9', at)).status).toBe(200);
    }
});

it('a refusal counts against the limit of the address and not of the key', async () => {
  const partner = await sandboxPartner();
  await allow(partner, '203.0.113.0/24');
  const remaining = async () => Number((await from(partner, '203.0.113.7')).headers.get('x-ratelimit-remaining'));
  expect(await remaining()).toBe(99);
  const refusals = await Promise.all(Array.from({ length: 120 }, () => from(partner, '192.0.2.44')));
  const codes = refusals.map(({ body }) => body.error.code);
  expect(codes.filter((code) => code === 'network_not_allowed').length).toBe(100);
  expect(codes.filter((code) => code === 'rate_limit_exceeded').length).toBe(20);
  expect(await remaining()).toBe(98);
});

it('a key over its limit is refused by its network and not by its limit', async () => {
  const partner = await sandboxPartner();
  await allow(partner, '203.0.113.0/24');
  const full = await Promise.all(Array.from({ length: 101 }, () => from(partner, '203.0.113.7')));
  expect(full.filter(({ status }) => status === 429).length).toBe(1);
  // The recent refusal by the limit is not reused.
  expectError(await from(partner, '192.0.2.45'), 403, 'network_not_allowed');
});

it('the network is checked after the key and before version and parameters, also without a client', async () => {
  const partner = await sandboxPartner();
  await allow(partner, '203.0.113.0/24');
  const ask = (path: string, secret: string) =>
    call(gateway.url + path, secret, { version: null, headers: { 'X-Forwarded-For': '192.0.2.46' } });
  expectError(await ask('/api/v1/assets?colour=red', partner.key.secret), 403, 'network_not_allowed');
  expectError(await ask('/api/v1/assets?colour=red', `${partner.key.secret.slice(0, -1)}!`), 401, 'invalid_api_key');
  await gateway.database.query({
    text: "update api_keys set expires_at = now() - interval '1 s' where id = $1",
    values: [partner.key.id],
  });
  expectError(await ask('/api/v1/assets', partner.key.secret), 401, 'expired_api_key');
});

it('a refusal is in the access record, related to the client', async () => {
  const partner = await sandboxPartner();
  await allow(partner, '203.0.113.0/24');
  const requestId = (await from(partner, '192.0.2.47')).headers.get('x-request-id');
  const read = async () => {
    const text = 'select status, error_code, related, client_id from recorded_calls where request_id = $1';
    return (await gateway.database.query({ text, values: [requestId] }))[0];
  };
  const expected = { status: 403, error_code: 'network_not_allowed', related: true, client_id: partner.client.id };
  await expect.poll(read, { timeout: 60_000 }).toEqual(expected);
});

it('the successor of a rotation has the networks of the key', async () => {
  const partner = await sandboxPartner();
  await allow(partner, '203.0.113.0/24');
  const { text, ...secret } = makeKeySecret('sandbox');
  const bounds = { maxKeys: 100, ...ANY };
  const { successor } = await rotateKey(gateway.database, partner.key.id, { secret }, operator, bounds);
  expect(successor.allowedNetworks).toEqual(['203.0.113.0/24']);
  const rotated = { ...partner, key: { ...partner.key, secret: text } };
  expect((await from(rotated, '203.0.113.7')).status).toBe(200);
  expectError(await from(rotated, '192.0.2.48'), 403, 'network_not_allowed');
});
