// Guarantee: a limit in shadow mode refuses no request, reports what it would refuse, and applies again once shadow
// mode ends.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeKeySecret } from '#auth/key-format.ts';
import type { Tier } from '#core/tiers.ts';
import { setFirmLimit } from '#repositories/firms.ts';
import { rotateKey, setKeyTier } from '#repositories/keys/keys.ts';
import { type ShadowTarget, setShadow } from '#repositories/keys/limit-shadows.ts';
import { expectError, expectEveryHeader } from '#test/support/answers.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { sampleOf, scrape } from '#test/support/metrics.ts';
import { makePartner, pathFor } from '#test/support/partner.ts';
import { call, makeClient, makeFirm, makeKey, type Response, why } from '#test/support/scenario.ts';
import { startRedis } from '#test/support/services.ts';

const operator = { kind: 'operator', id: 'test' } as const;
const header = ({ headers }: Response, name: string) => headers.get(name);
const statuses = (answers: Response[]) => answers.map(({ status }) => status);

/** Sandbox keys have 100 requests a minute. */
async function sandboxPartner(gateway: TestGateway) {
  const firm = await makeFirm(gateway.database, { tier: 'standard' });
  return makePartner(gateway, {
    key: await makeKey(gateway.database, firm, { environment: 'sandbox' }),
    client: await makeClient(gateway.database, { environment: 'sandbox' }),
  });
}

const several = (get: (path: string) => Promise<Response>, count: number) =>
  Promise.all(Array.from({ length: count }, () => get('/assets')));

/** Admitted over the limit: no sign of a refusal, and nothing remaining. */
function expectLetPass(response: Response, limit: number): void {
  expect(response.status).toBe(200);
  expectEveryHeader(response, limit);
  expect(header(response, 'x-ratelimit-remaining')).toBe('0');
  expect(header(response, 'ratelimit')).toMatch(/^"key";r=0;t=\d+/);
  expect(header(response, 'retry-after')).toBeNull();
}

describe.each(['with Redis', 'without Redis', 'after Redis has gone'])('a limit in shadow mode, %s', (where) => {
  let gateway: TestGateway;
  let redis: Awaited<ReturnType<typeof startRedis>> | undefined;
  beforeAll(async () => {
    if (where !== 'without Redis') redis = await startRedis();
    gateway = await startGateway({ env: redis === undefined ? {} : { REDIS_URL: redis.url } });
    if (where === 'after Redis has gone') await redis?.stop();
  });
  afterAll(async () => {
    await gateway?.stop();
    if (where === 'with Redis') await redis?.stop();
  });

  const shadow = (target: ShadowTarget, shadowed = true) =>
    setShadow(gateway.database, target, { shadowed, reason: 'a trial', endsAt: null }, operator);
  const counted = async (name: string, labels: Record<string, string>) =>
    sampleOf(await scrape(gateway.internalUrl), name, labels);
  const wouldRefuse = (tier: Tier) => counted('portico_shadow_refusals_total', { tier, code: 'rate_limit_exceeded' });
  const refusals = (tier: Tier) => counted('portico_refusals_total', { tier, code: 'rate_limit_exceeded' });

  it('of a key admits and counts requests over it, for rotations too, and refuses again afterwards', async () => {
    const { key, client, get } = await sandboxPartner(gateway);
    await shadow({ keyId: key.id });
    const [before, refused] = [await wouldRefuse('sandbox'), await refusals('sandbox')];
    const answers = await several(get, 120);
    expect(statuses(answers)).toEqual(Array(120).fill(200));
    expectLetPass(await get('/assets'), 100);
    expect(await wouldRefuse('sandbox')).toBe(before + 21);
    expect(await refusals('sandbox')).toBe(refused);
    expect(await counted('portico_near_limit_requests_total', { tier: 'sandbox' })).toBe(21);

    const { text, ...secret } = makeKeySecret('sandbox');
    await rotateKey(gateway.database, key.id, { secret }, operator, { maxKeys: 100, lifetimeDays: null });
    const rotated = () => call(gateway.url + pathFor(client.id, '/assets'), text);
    expectLetPass(await rotated(), 100);

    await shadow({ keyId: key.id }, false);
    for (const response of [await get('/assets'), await rotated()]) {
      expectError(response, 429, 'rate_limit_exceeded');
      expect(Number(header(response, 'retry-after'))).toBeGreaterThanOrEqual(1);
    }
    expect(await refusals('sandbox')).toBe(refused + 2);
  });

  it('of a tier applies to all its keys and to no others', async () => {
    const [one, other, elsewhere] = [
      await sandboxPartner(gateway),
      await sandboxPartner(gateway),
      await sandboxPartner(gateway),
    ];
    await setKeyTier(gateway.database, elsewhere.key.id, { ...why, tier: 'standard' }, operator);
    for (const { get } of [one, other]) expect(statuses(await several(get, 101))).toContain(429);
    await shadow({ tier: 'sandbox' });
    // A key that was refused within the last second is first judged by its cached limit.
    for (const { get } of [one, other])
      await vi.waitFor(async () => expectLetPass(await get('/assets'), 100), { timeout: 60_000, interval: 100 });
    await shadow({ tier: 'standard' });
    expect(header(await elsewhere.get('/assets'), 'x-ratelimit-remaining')).toBe('999');

    await shadow({ tier: 'sandbox' }, false);
    await shadow({ tier: 'standard' }, false);
    for (const { get } of [one, other]) expectError(await get('/assets'), 429, 'rate_limit_exceeded');
  });

  it('leaves the firm’s limit in force, which counts the requests admitted over the key’s', async () => {
    const { key, get } = await sandboxPartner(gateway);
    await setFirmLimit(gateway.database, key.firmId, { ...why, limit: 110 }, operator);
    await shadow({ keyId: key.id });
    const before = await wouldRefuse('sandbox');
    const answers = await several(get, 120);
    expect(statuses(answers).filter((status) => status === 200)).toHaveLength(110);
    const refused = answers.find(({ status }) => status === 429) as Response;
    expectError(refused, 429, 'rate_limit_exceeded');
    expect(header(refused, 'ratelimit-policy')).toBe('"key";q=100;w=60, "firm";q=110;w=60');
    expect(header(refused, 'ratelimit')).toMatch(/^"key";r=0;t=\d+, "firm";r=0;t=\d+$/);
    expect(Number(header(refused, 'retry-after'))).toBeGreaterThanOrEqual(1);
    // Refusals by the firm's limit are not counted as refusals by the key's.
    expect(await wouldRefuse('sandbox')).toBe(before + 10);
  });
});

describe('on several gateways', () => {
  let one: TestGateway;
  let other: TestGateway;
  beforeAll(async () => {
    one = await startGateway();
    other = await startGateway({ databaseUrl: one.databaseUrl });
  });
  afterAll(async () => {
    await other?.stop();
    await one?.stop();
  });

  it.each(['key', 'tier'] as const)('shadow mode of a %s takes effect with the next request', async (what) => {
    const { key, client, get } = await sandboxPartner(one);
    const there = (path: string) => call(other.url + pathFor(client.id, path), key.secret);
    const target: ShadowTarget = what === 'key' ? { keyId: key.id } : { tier: 'sandbox' };
    const shadow = (shadowed: boolean) =>
      setShadow(one.database, target, { shadowed, reason: 'a trial', endsAt: null }, operator);
    // Each counts separately, and has the key's admission in its cache from then on.
    for (const ask of [get, there]) expect(statuses(await several(ask, 100))).toEqual(Array(100).fill(200));
    await shadow(true);
    for (const ask of [get, there]) expectLetPass(await ask('/assets'), 100);
    await shadow(false);
    for (const ask of [get, there]) expectError(await ask('/assets'), 429, 'rate_limit_exceeded');
  });
});

it('a limit in shadow mode denies no request while Redis is down and others are denied', async () => {
  const redis = await startRedis();
  const gateway = await startGateway({ env: { REDIS_URL: redis.url, RATE_LIMIT_ON_REDIS_FAILURE: 'deny' } });
  try {
    const [shadowed, held] = [await sandboxPartner(gateway), await sandboxPartner(gateway)];
    await setShadow(
      gateway.database,
      { keyId: shadowed.key.id },
      { shadowed: true, reason: 'a trial', endsAt: null },
      operator,
    );
    await redis.stop();
    expect((await held.get('/assets')).status).toBe(503);
    const passed = await shadowed.get('/assets');
    expect(passed.status).toBe(200);
    expect(header(passed, 'retry-after')).toBeNull();
    const labels = { tier: 'sandbox', code: 'service_unavailable' };
    expect(sampleOf(await scrape(gateway.internalUrl), 'portico_shadow_refusals_total', labels)).toBe(1);
  } finally {
    await gateway.stop();
  }
});
