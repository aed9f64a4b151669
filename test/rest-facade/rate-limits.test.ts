// Guarantee: a key gets its tier's requests a minute, and every response reports the limit and what remains of it.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeKeySecret } from '#auth/key-format.ts';
import type { Firm } from '#repositories/firms.ts';
import { rotateKey, setKeyTier } from '#repositories/keys/keys.ts';
import { expectError, expectEveryHeader } from '#test/support/answers.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, pathFor } from '#test/support/partner.ts';
import { call, makeClient, makeFirm, makeItem, makeKey, type Response, why } from '#test/support/scenario.ts';
import { startRedis } from '#test/support/services.ts';

const operator = { kind: 'operator', id: 'test' } as const;

let gateway: TestGateway;
let firm: Firm;

beforeAll(async () => {
  gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.1' } });
  firm = await makeFirm(gateway.database, { tier: 'standard' });
});
afterAll(() => gateway.stop());

const left = ({ headers }: Response) => Number(headers.get('x-ratelimit-remaining'));
const limitOf = ({ headers }: Response) => Number(headers.get('x-ratelimit-limit'));

const sandboxPartner = async () =>
  makePartner(gateway, {
    key: await makeKey(gateway.database, firm, { environment: 'sandbox' }),
    client: await makeClient(gateway.database, { environment: 'sandbox' }),
  });

describe('the tier', () => {
  it('of a sandbox key is Sandbox, and of a production key that of its firm', async () => {
    expectEveryHeader(await (await sandboxPartner()).get('/assets'), 100);
    for (const [tier, limit] of [
      ['standard', 1_000],
      ['elevated', 5_000],
      ['enterprise', 20_000],
    ] as const) {
      const holder = await makeFirm(gateway.database, { tier });
      const { get } = await makePartner(gateway, { key: await makeKey(gateway.database, holder) });
      expectEveryHeader(await get('/assets'), limit);
    }
  });

  it('can be overridden and restored for one key with immediate effect, and the count continues', async () => {
    const { key, get } = await makePartner(gateway, { key: await makeKey(gateway.database, firm) });
    expect([limitOf(await get('/assets')), left(await get('/assets'))]).toEqual([1_000, 998]);
    await setKeyTier(gateway.database, key.id, { ...why, tier: 'elevated' }, operator);
    const raised = await get('/assets');
    expect([limitOf(raised), left(raised)]).toEqual([5_000, 4_997]);
    await setKeyTier(gateway.database, key.id, { ...why, tier: null }, operator);
    expect(left(await get('/assets'))).toBe(996);
  });

  it('follows a change of the firm’s tier at once', async () => {
    const holder = await makeFirm(gateway.database, { tier: 'standard' });
    const { get } = await makePartner(gateway, { key: await makeKey(gateway.database, holder) });
    expect(limitOf(await get('/assets'))).toBe(1_000);
    await gateway.database.query({ text: "update firms set tier = 'enterprise' where id = $1", values: [holder.id] });
    expect(limitOf(await get('/assets'))).toBe(20_000);
  });
});

describe('the count', () => {
  it('includes every request with a valid key and a known route: 200, 304, 4xx', async () => {
    const { key, client, get } = await makePartner(gateway, { key: await makeKey(gateway.database, firm) });
    const { registryId } = await makeItem(gateway.database, client);
    const statuses: number[] = [];
    const remaining: number[] = [];
    for (const answer of [
      () => get('/assets'),
      () => get('/assets', { headers: { 'If-None-Match': '*' } }),
      () => get('/assets', { method: 'HEAD' }),
      () => get('/assets', { version: null }),
      () => get('/assets?page=0'),
      () => call(`${gateway.url}/api/v1/assets?client_id=nobody`, key.secret),
      () => get('/assets/unknown'),
      () => get(`/assets/${registryId}/valuations`),
    ]) {
      const response = await answer();
      statuses.push(response.status);
      remaining.push(left(response));
    }
    expect(statuses).toEqual([200, 304, 200, 400, 400, 403, 404, 200]);
    expect(remaining).toEqual([999, 998, 997, 996, 995, 994, 993, 992]);
  });

  it('excludes route errors, which carry the headers of the address', async () => {
    const { key, get } = await makePartner(gateway, { key: await makeKey(gateway.database, firm) });
    const headers = { 'X-Forwarded-For': '198.51.100.1' };
    const before = left(await get('/assets'));
    for (const [method, path] of [
      ['GET', '/api/v1/nothing'],
      ['POST', '/api/v1/assets'],
    ] as const) {
      const response = await call(gateway.url + path, key.secret, { method, headers });
      expectEveryHeader(response, 100);
      expect(response.headers.get('ratelimit-policy')).toBe('"address";q=100;w=60');
    }
    expect(left(await get('/assets'))).toBe(before - 1);
  });
});

describe('the limit', () => {
  it('refuses with 429 and Retry-After, does not count refused requests, and is shared by a rotated key', async () => {
    const { key, client, get } = await sandboxPartner();
    const burst = await Promise.all(Array.from({ length: 120 }, () => get('/portfolio/summary')));
    expect(burst.filter(({ status }) => status === 200)).toHaveLength(100);
    const refused = burst.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(20);
    for (const response of refused) expectError(response, 429, 'rate_limit_exceeded');
    const [{ headers }] = refused as [Response];
    expect(headers.get('x-ratelimit-remaining')).toBe('0');
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
    const wait = Number(headers.get('retry-after'));
    expect(wait).toBeGreaterThanOrEqual(30);
    expect(wait).toBeLessThanOrEqual(60);
    const reset = Number(headers.get('x-ratelimit-reset')) - Date.parse(headers.get('date') ?? '') / 1000;
    expect(Math.abs(reset - wait)).toBeLessThanOrEqual(1);
    expect(headers.get('x-service-version')).toBeNull();

    const { text, ...secret } = makeKeySecret('sandbox');
    const { successor } = await rotateKey(gateway.database, key.id, { secret }, operator, {
      maxKeys: 100,
      lifetimeDays: null,
    });
    expectError(await call(gateway.url + pathFor(client.id, '/assets'), text), 429, 'rate_limit_exceeded');
    // 120 were sent and 100 counted: of 1000 there remain 900, less this one. A new tier takes effect within 5 seconds.
    await setKeyTier(gateway.database, successor.id, { ...why, tier: 'standard' }, operator);
    const send = () => call(gateway.url + pathFor(client.id, '/assets'), text);
    await vi.waitFor(async () => expect(left(await send())).toBe(899), { timeout: 60_000, interval: 100 });
  });

  it('sends no Retry-After while requests remain', async () => {
    const { get } = await sandboxPartner();
    expect((await get('/assets')).headers.get('retry-after')).toBeNull();
  });
});

it('requests denied while Redis is down get 503 and a Retry-After of one second', async () => {
  const redis = await startRedis();
  const denying = await startGateway({ env: { REDIS_URL: redis.url, RATE_LIMIT_ON_REDIS_FAILURE: 'deny' } });
  try {
    const { get } = await makePartner(denying, {});
    expect((await get('/assets')).status).toBe(200);
    await redis.stop();
    const refused = await get('/assets');
    expectError(refused, 503, 'service_unavailable');
    expect(refused.headers.get('retry-after')).toBe('1');
  } finally {
    await denying.stop();
  }
});
