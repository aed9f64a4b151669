// Guarantee: only a key that is valid at the time of the request is accepted, and the refusal of any other says why.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeKeySecret } from '#auth/key-format.ts';
import type { Firm } from '#repositories/firms.ts';
import { revokeKey, rotateKey } from '#repositories/keys/keys.ts';
import { expectError } from '#test/support/answers.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner, pathFor } from '#test/support/partner.ts';
import { call, makeFirm, makeKey, type Response } from '#test/support/scenario.ts';

const operator = { kind: 'operator', id: 'test' } as const;

let gateway: TestGateway;
let firm: Firm;
let partner: Partner;

beforeAll(async () => {
  gateway = await startGateway();
  firm = await makeFirm(gateway.database);
  partner = await makePartner(gateway, { key: await makeKey(gateway.database, firm) });
});
afterAll(() => gateway.stop());

const authorized = (authorization: string): Promise<Response> =>
  call(gateway.url + pathFor(partner.client.id, '/assets'), null, { headers: { Authorization: authorization } });

const expire = (id: string) =>
  gateway.database.query({
    text: "update api_keys set expires_at = now() - interval '1 ms' where id = $1",
    values: [id],
  });

describe('a missing or malformed key', () => {
  it('is 401 with a challenge when the header is absent', async () => {
    const response = await call(gateway.url + pathFor(partner.client.id, '/assets'), null);
    expectError(response, 401, 'invalid_api_key');
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(response.headers.get('x-service-version')).toBeNull();
    expect(response.body.error.message).toMatch(/^No API key was sent: send the header "Authorization: Bearer"/);
  });

  it.each([
    ['an empty header', () => ''],
    ['the scheme alone', () => 'Bearer'],
    ['another scheme', () => `Basic ${partner.key.secret}`],
    ['no scheme', () => partner.key.secret],
    ['two keys', () => `Bearer ${partner.key.secret} ${partner.key.secret}`],
    ['a list', () => `Bearer ${partner.key.secret}, Bearer ${partner.key.secret}`],
    ['quotes', () => `Bearer "${partner.key.secret}"`],
    ['one character too few', () => `Bearer ${partner.key.secret.slice(0, -1)}`],
    ['one character too many', () => `Bearer ${partner.key.secret}a`],
    [
      'a bad checksum',
      () => `Bearer ${partner.key.secret.slice(0, -1)}${partner.key.secret.endsWith('0') ? '1' : '0'}`,
    ],
    ['the other environment', () => `Bearer ${partner.key.secret.replace('sk_live_', 'sk_test_')}`],
    ['a valid key that was never issued', () => `Bearer ${makeKeySecret('production').text}`],
    ['its id', () => `Bearer ${partner.key.id}`],
    ['a token of the plant store', () => 'Bearer pt_00000000000000000000000000000000000000'],
  ])('is 401 invalid_api_key: %s', async (_name, header) => {
    const response = await authorized(header());
    expectError(response, 401, 'invalid_api_key');
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
  });

  it.each([
    [
      'not well-formed',
      () => `Bearer ${partner.key.secret.slice(0, -1)}`,
      /^The header Authorization has no well-formed/,
    ],
    ['never issued', () => `Bearer ${makeKeySecret('production').text}`, /^The API key is unknown or revoked\.$/],
  ])('the message says that it was %s', async (_name, header, message) => {
    expect((await authorized(header())).body.error.message).toMatch(message);
  });

  it('is not looked for outside the Authorization header', async () => {
    const inQuery = await call(
      `${gateway.url}${pathFor(partner.client.id, '/assets')}&api_key=${partner.key.secret}`,
      null,
    );
    expectError(inQuery, 401, 'invalid_api_key');
    const headers = { 'X-API-Key': partner.key.secret, Cookie: `key=${partner.key.secret}` };
    expectError(
      await partner.get('/assets', { headers: { ...headers, Authorization: 'Bearer' } }),
      401,
      'invalid_api_key',
    );
  });
});

describe('a valid key', () => {
  it.each(['Bearer', 'bearer', 'BEARER', 'beaRer'])('is accepted after the scheme %s', async (scheme) => {
    expect((await authorized(`${scheme} ${partner.key.secret}`)).status).toBe(200);
    expect((await authorized(`${scheme}   ${partner.key.secret}`)).status).toBe(200);
  });
});

describe('a key that was revoked, rotated or has expired', () => {
  it('is 401 invalid_api_key once it is revoked', async () => {
    const { key, get } = await makePartner(gateway, { key: await makeKey(gateway.database, firm) });
    expect((await get('/assets')).status).toBe(200);
    await revokeKey(gateway.database, key.id, operator);
    expectError(await get('/assets'), 401, 'invalid_api_key');
  });

  it('is 401 expired_api_key, with a challenge, once it has expired', async () => {
    const { key, get } = await makePartner(gateway, { key: await makeKey(gateway.database, firm) });
    await expire(key.id);
    const response = await get('/assets');
    expectError(response, 401, 'expired_api_key');
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('is invalid_api_key when it was revoked and has expired', async () => {
    const { key, get } = await makePartner(gateway, { key: await makeKey(gateway.database, firm) });
    await revokeKey(gateway.database, key.id, operator);
    await expire(key.id);
    expectError(await get('/assets'), 401, 'invalid_api_key');
  });

  it('works during the overlap of a rotation, then is expired_api_key, and the successor has its grants', async () => {
    const { key, get, client } = await makePartner(gateway, { key: await makeKey(gateway.database, firm) });
    const { text, ...secret } = makeKeySecret('production');
    await rotateKey(gateway.database, key.id, { secret, overlapMs: 3_600_000 }, operator, {
      maxKeys: 100,
      lifetimeDays: null,
    });
    expect((await get('/assets')).status).toBe(200);
    await expire(key.id);
    expectError(await get('/assets'), 401, 'expired_api_key');
    expect((await call(gateway.url + pathFor(client.id, '/assets'), text)).status).toBe(200);
  });

  it('is expired_api_key at once after a rotation without overlap', async () => {
    const { key, get } = await makePartner(gateway, { key: await makeKey(gateway.database, firm) });
    const { text: _text, ...secret } = makeKeySecret('production');
    await rotateKey(gateway.database, key.id, { secret, overlapMs: 0 }, operator, { maxKeys: 100, lifetimeDays: null });
    expectError(await get('/assets'), 401, 'expired_api_key');
  });
});
