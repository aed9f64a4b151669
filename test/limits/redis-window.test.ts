// The sliding window in Redis: its size, key, expiry, clock and cost.

import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '#core/clock.ts';
import { RedisLimiter } from '#limits/redis-limiter.ts';
import { limitKey, subjectBeside } from '#limits/subjects.ts';
import { randomSubject, scriptWithClockAt, setClock } from '#test/limits/rigs.ts';
import { type Service, startRedis } from '#test/support/services.ts';

const START = Date.UTC(2026, 0, 15);

let server: Service;
let redis: Redis;
let limiter: RedisLimiter;
beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
  limiter = new RedisLimiter(redis);
});
afterAll(async () => {
  redis?.disconnect();
  await server?.stop();
});

describe('the window in Redis', () => {
  it('takes less than 450 bytes, however many requests were admitted and refused', async () => {
    const [subject, clock] = [randomSubject(), randomSubject()];
    // Each limiter defines the command of its connection.
    const client = redis.duplicate();
    const clocked = new RedisLimiter(client, 'clocked', scriptWithClockAt(clock));
    await setClock(redis, clock, START);
    await clocked.take(subject, 20_000);
    const first = await redis.memory('USAGE', limitKey('clocked', subject));
    for (let second = 1; second <= 25; second++) {
      await setClock(redis, clock, START + second * 1_000);
      await Promise.all(Array.from({ length: 1_000 }, () => clocked.take(subject, 20_000)));
    }
    expect(await clocked.peek(subject, 20_000)).toMatchObject({ used: 20_000, refused: 5_001 });
    expect(await redis.memory('USAGE', limitKey('clocked', subject))).toBe(first);
    client.disconnect();
    expect(first).toBeLessThan(450);
  });

  it('is one key of its own, which expires by itself', async () => {
    await redis.flushdb();
    const subject = randomSubject();
    await limiter.take(subject, 1);
    const before = Date.now();
    await limiter.take(subject, 1);
    const after = Date.now();
    expect(await redis.keys('*')).toEqual([limitKey('default', subject)]);
    const expires = await redis.pexpiretime(limitKey('default', subject));
    expect(expires).toBeGreaterThan(before + 61_000);
    expect(expires).toBeLessThanOrEqual(after + 71_000);
  });

  it('is not written by a peek', async () => {
    const subject = randomSubject();
    await limiter.peek(subject, 1);
    expect(await redis.exists(limitKey('default', subject))).toBe(0);
  });

  it('belongs to one fleet: another fleet on the same Redis counts separately', async () => {
    const address = randomSubject();
    const [one, other] = ['one', 'other'].map((fleet) => new RedisLimiter(redis, fleet)) as [
      RedisLimiter,
      RedisLimiter,
    ];
    expect(await one.take(address, 1)).toMatchObject({ admitted: true, used: 1 });
    expect(await other.take(address, 1)).toMatchObject({ admitted: true, used: 1 });
    expect(await new RedisLimiter(redis, 'one').take(address, 1)).toMatchObject({ admitted: false, used: 1 });
  });

  it('places a subject in a Cluster by the subject alone', async () => {
    expect(limitKey('one', 'key:123')).toBe('portico:6:one:limit:{key:123}');
    expect(limitKey('one', subjectBeside('firm:1', 'key:123'))).toBe('portico:6:one:limit:{firm:1}:key:123');
  });

  it('costs one round trip, by the hash of the script', async () => {
    const subject = randomSubject();
    await limiter.take(subject, 1_000);
    await redis.config('RESETSTAT');
    for (let i = 0; i < 50; i++) await limiter.take(subject, 1_000);
    expect(await callsOf('evalsha')).toBe(50);
    expect(await callsOf('eval')).toBe(0);
  });

  it('survives a loss of the scripts in Redis', async () => {
    const subject = randomSubject();
    await limiter.take(subject, 10);
    await redis.script('FLUSH');
    expect(await limiter.take(subject, 10)).toMatchObject({ admitted: true, used: 2 });
  });

  it("goes by Redis's clock and not by the gateway's", async () => {
    const before = systemClock.now() / 1_000;
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    const answer = await limiter.take(randomSubject(), 10).finally(() => vi.useRealTimers());
    expect(answer.resetAt - 61).toBeGreaterThan(before - 2);
    expect(answer.resetAt - 61).toBeLessThan(systemClock.now() / 1_000 + 2);
  });
});

async function callsOf(command: string): Promise<number> {
  const stats = await redis.info('commandstats');
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
}
