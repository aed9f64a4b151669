// Guarantee: the decisions of limits are summed over all gateways by key and tier, cost a request no statement, and are
// deleted in time.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createEvents, type RequestEvent } from '#core/events.ts';
import { StageTimes } from '#core/stages.ts';
import { type AgedSums, sumLimits } from '#observability/limit-sums.ts';
import { listProcesses } from '#repositories/gateway-processes.ts';
import { forgetLimitSums, limitHistory, saveLimitSums } from '#repositories/keys/limit-sums.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, pathFor } from '#test/support/partner.ts';
import { call, makeClient, makeFirm, makeKey } from '#test/support/scenario.ts';
import { startRedis } from '#test/support/services.ts';

const ALL = { tier: null, keyId: null };
const request = (more: Partial<RequestEvent>): RequestEvent => ({
  ...{ area: 'portfolio', endpoint: '/assets', method: 'GET', status: 200, requestId: 'req_1', errorCode: null },
  ...{ times: new StageTimes(false), traced: false, key: { id: 'key_1', firmId: 'frm_1', tier: 'standard' } },
  ...{
    shadowRefusal: null,
    nearLimit: null,
    network: () => '',
    callersId: null,
    traceparent: undefined,
  },
  ...more,
});

describe('a gateway', () => {
  it('sums up requests, and saves the sums every five seconds and at its end', async () => {
    vi.useFakeTimers();
    const events = createEvents();
    const saved: AgedSums[][] = [];
    let failing = false;
    const failures: unknown[] = [];
    const summer = sumLimits(
      events,
      async (waiting) => {
        if (failing) throw new Error('away');
        saved.push([...waiting]);
      },
      (error) => failures.push(error),
    );
    const nearLimit = { of: 'key', limit: 10, refused: false } as const;
    for (let count = 0; count < 5; count++) events.emit('request', request({}));
    events.emit('request', request({ nearLimit }));
    events.emit('request', request({ nearLimit, shadowRefusal: 'rate_limit_exceeded' }));
    events.emit('request', request({ nearLimit: { ...nearLimit, refused: true }, errorCode: 'rate_limit_exceeded' }));
    // No limit decided about these.
    events.emit('request', request({ key: null }));
    events.emit('request', request({ area: 'graphql' }));
    events.emit('request', request({ errorCode: 'service_unavailable' }));
    expect(saved).toEqual([]);
    await vi.advanceTimersByTimeAsync(5_000);
    const sum = { keyId: 'key_1', tier: 'standard', admitted: 7, refused: 1, near: 2, letPass: 1 };
    expect(saved).toMatchObject([[{ sums: [sum] }]]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(saved.length).toBe(1);

    // Unsaved sums are tried again, with their age at that time.
    failing = true;
    events.emit('request', request({}));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(failures.length).toBe(1);
    failing = false;
    events.emit('request', request({}));
    await summer.close();
    expect(saved[1]?.map(({ sums }) => sums[0]?.admitted)).toEqual([1, 1]);
    events.emit('request', request({}));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(saved.length).toBe(2);
    vi.useRealTimers();
  });

  it('keeps a bounded number of sums that cannot be saved', async () => {
    vi.useFakeTimers();
    const events = createEvents();
    let waitingNow = 0;
    const summer = sumLimits(
      events,
      async (waiting) => {
        waitingNow = waiting.length;
        throw new Error('away');
      },
      () => {},
    );
    for (let turn = 0; turn < 100; turn++) {
      events.emit('request', request({}));
      await vi.advanceTimersByTimeAsync(5_000);
    }
    expect(waitingNow).toBe(60);
    await summer.close();
    vi.useRealTimers();
  });
});

describe('the history', () => {
  let one: TestGateway;
  let other: TestGateway;
  let redis: Awaited<ReturnType<typeof startRedis>>;
  beforeAll(async () => {
    redis = await startRedis();
    const env = { REDIS_URL: redis.url };
    one = await startGateway({ env });
    other = await startGateway({ env, databaseUrl: one.databaseUrl });
  });
  afterAll(async () => {
    await other?.stop();
    await one?.stop();
    await redis?.stop();
  });

  it('covers all gateways, by minute and quarter of an hour, by tier and by key', async () => {
    const firm = await makeFirm(one.database, { name: 'Busy Firm' });
    const client = await makeClient(one.database, { environment: 'sandbox' });
    const { key } = await makePartner(one, {
      key: await makeKey(one.database, firm, { environment: 'sandbox' }),
      client,
    });
    const ask = async (gateway: TestGateway, count: number) => {
      for (let asked = 0; asked < count; asked++) await call(gateway.url + pathFor(client.id, '/assets'), key.secret);
    };
    await ask(one, 70);
    await ask(other, 40);
    const history = async (span: 'hour' | 'day') => limitHistory(one.database, span, ALL);
    const whole = async () => {
      const { tiers } = await history('hour');
      expect(tiers).toEqual([{ tier: 'sandbox', admitted: 100, refused: 10, near: 21, letPass: 0 }]);
    };
    await vi.waitFor(whole, { timeout: 60_000, interval: 200 });
    for (const [span, bars, seconds] of [
      ['hour', 60, 60],
      ['day', 96, 900],
    ] as const) {
      const before = Date.now();
      const result = await history(span);
      const after = Date.now();
      expect([result.seconds, result.bars.length]).toEqual([seconds, bars]);
      const times = result.bars.map(({ at }) => Date.parse(at));
      expect(times).toEqual(times.map((_, index) => (times[0] ?? 0) + index * seconds * 1_000));
      // The last bar contains the present moment.
      expect(times.at(-1)).toBeGreaterThan(before - seconds * 1_000);
      expect(times.at(-1)).toBeLessThanOrEqual(after);
      expect(result.bars.reduce((sum, { admitted }) => sum + admitted, 0)).toBe(100);
      const { id: keyId } = key;
      expect(result.keys).toMatchObject([{ keyId, firmName: 'Busy Firm', environment: 'sandbox', refused: 10 }]);
      expect(result.keyCount).toBe(1);
    }
    const ofOther = await limitHistory(one.database, 'hour', { tier: 'standard', keyId: null });
    expect([ofOther.keyCount, ofOther.bars.length]).toEqual([0, 60]);
    expect((await limitHistory(one.database, 'hour', { tier: null, keyId: key.id })).keyCount).toBe(1);
  });

  it('lists the state of every process until it ends', async () => {
    const third = await startGateway({ databaseUrl: one.databaseUrl });
    const limiters = async () => (await listProcesses(one.database)).map(({ limiter }) => limiter).sort();
    await vi.waitFor(async () => expect(await limiters()).toEqual(['redis', 'redis', 'standalone']), {
      timeout: 60_000,
    });
    expect((await listProcesses(one.database)).every(({ silent }) => !silent)).toBe(true);
    await third.stop();
    expect(await limiters()).toEqual(['redis', 'redis']);
    // A process that was killed is listed as silent.
    await one.database.query({ text: `update gateway_processes set seen_at = now() - interval '1 minute'` });
    expect((await listProcesses(one.database)).every(({ silent }) => silent)).toBe(true);
  });

  it('adds up by time, by tier and by key, keys with most refusals first', async () => {
    const { database } = one;
    const firm = await makeFirm(database);
    const [{ id: few }, { id: many }] = [await makeKey(database, firm), await makeKey(database, firm)];
    const sum = { admitted: 1, refused: 2, near: 3, letPass: 4 };
    const [ofFew, ofMany] = [
      { ...sum, keyId: few, tier: 'enterprise' },
      { ...sum, keyId: many, tier: 'enterprise', refused: 7 },
    ] as const;
    const sums = [ofFew, ofMany, { ...ofMany, tier: 'elevated' as const }];
    await saveLimitSums(
      database,
      [0, 3_600].map((ageSeconds) => ({ ageSeconds, sums })),
    );
    const ofTier = await limitHistory(database, 'day', { tier: 'enterprise', keyId: null });
    expect(ofTier.tiers).toEqual([{ tier: 'enterprise', admitted: 4, refused: 18, near: 12, letPass: 16 }]);
    expect(ofTier.keys).toMatchObject([
      { keyId: many, admitted: 2, refused: 14, near: 6, letPass: 8 },
      { keyId: few, admitted: 2, refused: 4, near: 6, letPass: 8 },
    ]);
    expect(ofTier.keyCount).toBe(2);
    const refusals = ofTier.bars.map(({ refused }) => refused).filter((refused) => refused > 0);
    expect(refusals).toEqual([9, 9]);
    const { tiers, keyCount } = await limitHistory(database, 'day', { tier: null, keyId: many });
    expect(tiers.map(({ tier, refused }) => [tier, refused]).sort()).toEqual([
      ['elevated', 14],
      ['enterprise', 14],
    ]);
    expect(keyCount).toBe(1);
  });

  it('dates sums by the database’s clock, adds concurrent ones of several gateways, and deletes old ones', async () => {
    const { database } = one;
    const firm = await makeFirm(database);
    const { id: keyId } = await makeKey(database, firm);
    const sum = { keyId, tier: 'elevated', admitted: 1, refused: 0, near: 0, letPass: 0 } as const;
    const result = async (span: 'hour' | 'day') => {
      const { bars } = await limitHistory(database, span, { tier: null, keyId });
      return bars.flatMap(({ admitted }, index) => (admitted > 0 ? [[bars.length - 1 - index, admitted]] : []));
    };
    // The middle of a minute, so that all are of the same one.
    const ageSeconds = 570 + ((Date.now() / 1_000) % 60);
    await Promise.all(Array.from({ length: 20 }, () => saveLimitSums(database, [{ ageSeconds, sums: [sum, sum] }])));
    const [[minute, count] = [], ...more] = await result('hour');
    // A minute may have gone by since.
    expect([10, 11]).toContain(minute);
    expect([count, more]).toEqual([40, []]);
    await saveLimitSums(database, [{ ageSeconds: 7_200, sums: [sum] }]);
    expect([8, 9]).toContain((await result('day')).at(0)?.[0]);
    expect((await result('hour')).length).toBe(1);
    await saveLimitSums(database, [{ ageSeconds: 100_000, sums: [sum] }]);
    const rows = async () =>
      (
        await database.query<{ seconds: number }>({
          text: 'select seconds from limit_sums where key_id = $1',
          values: [keyId],
        })
      )
        .map(({ seconds }) => seconds)
        .sort((a, b) => a - b);
    await forgetLimitSums(database);
    // Of the first both rows remain, of the second the quarter of an hour, of the third none.
    expect(await rows()).toEqual([60, 900, 900]);
  });
});
