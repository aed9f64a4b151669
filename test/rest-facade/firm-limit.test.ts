// Guarantee: the keys of a firm with a limit together get no more than that, and each no more than its own limit.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Firm } from '#repositories/firms.ts';
import { setFirmLimit } from '#repositories/firms.ts';
import { setKeyTier } from '#repositories/keys/keys.ts';
import { expectError, expectEveryHeader } from '#test/support/answers.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner } from '#test/support/partner.ts';
import { makeFirm, makeKey, type Response, why } from '#test/support/scenario.ts';
import { startRedis } from '#test/support/services.ts';

const operator = { kind: 'operator', id: 'test' } as const;
const header = ({ headers }: Response, name: string) => headers.get(name);
const statuses = (answers: Response[]) => answers.map(({ status }) => status);

describe.each(['with Redis', 'without Redis', 'after Redis has gone'])('a firm with a limit, %s', (where) => {
  let gateway: TestGateway;
  let redis: Awaited<ReturnType<typeof startRedis>> | undefined;
  let firm: Firm;
  beforeAll(async () => {
    if (where !== 'without Redis') redis = await startRedis();
    gateway = await startGateway({ env: redis === undefined ? {} : { REDIS_URL: redis.url } });
    firm = await makeFirm(gateway.database, { tier: 'standard' });
    if (where === 'after Redis has gone') await redis?.stop();
  });
  afterAll(async () => {
    await gateway?.stop();
    if (where === 'with Redis') await redis?.stop();
  });

  const partner = async () => makePartner(gateway, { key: await makeKey(gateway.database, firm) });
  const several = (get: (path: string) => Promise<Response>, count: number) =>
    Promise.all(Array.from({ length: count }, () => get('/assets')));

  it('reports both limits, refuses a key within its own limit, and does not count refused requests', async () => {
    const [one, other] = [await partner(), await partner()];
    const free = await one.get('/assets');
    expect(header(free, 'ratelimit-policy')).toBe('"key";q=1000;w=60');

    await setFirmLimit(gateway.database, firm.id, { ...why, limit: 120 }, operator);
    expect(statuses(await several(one.get, 100))).toEqual(Array(100).fill(200));
    expect(statuses(await several(other.get, 19))).toEqual(Array(19).fill(200));
    const last = await other.get('/assets');
    expectEveryHeader(last, 120);
    expect(header(last, 'x-ratelimit-remaining')).toBe('0');
    expect(header(last, 'ratelimit-policy')).toBe('"key";q=1000;w=60, "firm";q=120;w=60');
    expect(header(last, 'ratelimit')).toMatch(/^"key";r=980;t=\d+, "firm";r=0;t=\d+$/);

    for (const { get } of [one, other]) {
      for (const refused of await several(get, 5)) {
        expectError(refused, 429, 'rate_limit_exceeded');
        expect(Number(header(refused, 'retry-after'))).toBeGreaterThanOrEqual(1);
        expect(Number(header(refused, 'retry-after'))).toBeLessThanOrEqual(60);
      }
    }
    // Refused requests are in neither window. A new limit takes effect within 5 seconds.
    await setFirmLimit(gateway.database, firm.id, { ...why, limit: 140 }, operator);
    let more = last;
    const admitted = async () => {
      more = await other.get('/assets');
      expect(more.status).toBe(200);
    };
    await vi.waitFor(admitted, { timeout: 60_000, interval: 100 });
    expect(header(more, 'ratelimit')).toMatch(/^"key";r=979;t=\d+, "firm";r=19;t=\d+$/);

    await setFirmLimit(gateway.database, firm.id, { ...why, limit: null }, operator);
    expect(header(await one.get('/assets'), 'ratelimit-policy')).toBe('"key";q=1000;w=60');
  });

  it('keeps the counts of its keys when its limit is set and when it is removed', async () => {
    const own = await makeFirm(gateway.database, { tier: 'standard' });
    const { key, get } = await makePartner(gateway, { key: await makeKey(gateway.database, own) });
    await setKeyTier(gateway.database, key.id, { ...why, tier: 'sandbox' }, operator);
    const admitted: Response[] = [];
    const ask = async (count: number) => {
      const answers = await several(get, count);
      admitted.push(...answers.filter(({ status }) => status === 200));
      return answers;
    };
    const change = async (limit: number | null, policy: string) => {
      await setFirmLimit(gateway.database, own.id, { ...why, limit }, operator);
      const inEffect = async () => expect(header((await ask(1))[0] as Response, 'ratelimit-policy')).toBe(policy);
      await vi.waitFor(inEffect, { timeout: 60_000, interval: 500 });
    };
    await ask(30);
    await change(1_000, '"key";q=100;w=60, "firm";q=1000;w=60');
    const before = admitted.length;
    await ask(30);
    expect(admitted).toHaveLength(before + 30);
    await change(null, '"key";q=100;w=60');
    expect(statuses(await ask(80))).toContain(429);
    expect(admitted).toHaveLength(100);
    await change(1_000, '"key";q=100;w=60, "firm";q=1000;w=60');
    expect(statuses(await ask(20))).toEqual(Array(20).fill(429));
    expect(admitted).toHaveLength(100);
  });

  it('limits each key to its own limit as well, and counts what that refuses in neither window', async () => {
    const [{ key, get }, other] = [await partner(), await partner()];
    await setKeyTier(gateway.database, key.id, { ...why, tier: 'sandbox' }, operator);
    await setFirmLimit(gateway.database, firm.id, { ...why, limit: 1_000 }, operator);
    const before = Number(/"firm";r=(\d+)/.exec(header(await other.get('/assets'), 'ratelimit') ?? '')?.[1]);
    const answers = await several(get, 120);
    expect(statuses(answers).filter((status) => status === 200)).toHaveLength(100);
    const refused = answers.find(({ status }) => status === 429) as Response;
    expect(header(refused, 'x-ratelimit-limit')).toBe('100');
    expect(header(await other.get('/assets'), 'ratelimit')).toContain(`"firm";r=${before - 101};`);
  });
});

it('only operators set the limit of a firm, to at least 1 and at most 65,535', async () => {
  const gateway = await startGateway();
  try {
    const firm = await makeFirm(gateway.database);
    const set = (limit: number, actor: Parameters<typeof setFirmLimit>[3] = operator) =>
      setFirmLimit(gateway.database, firm.id, { ...why, limit }, actor);
    for (const wrong of [0, -1, 1.5, 65_536])
      await expect(set(wrong)).rejects.toMatchObject({ code: 'invalid_parameter' });
    await expect(set(5, { kind: 'firm_member', id: 'usr_x' } as never)).rejects.toMatchObject({ code: 'forbidden' });
    const direct = { text: 'update firms set request_limit = 0 where id = $1', values: [firm.id] };
    await expect(gateway.database.query(direct)).rejects.toThrow('firms_request_limit_check');
    expect(await set(65_535)).toMatchObject({ requestLimit: 65_535 });
  } finally {
    await gateway.stop();
  }
});
