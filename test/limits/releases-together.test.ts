// Guarantee: while gateways of this release and of the one before share windows in Redis, no key gets more than its limit.
// sliding-window-before.lua is the script of releases that knew no milliseconds.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RedisLimiter, slidingWindowScript } from '#limits/redis-limiter.ts';
import { mostIn, randomSubject, scriptWithClockAt, setClock } from '#test/limits/rigs.ts';
import { FakeClock } from '#test/support/fake-clock.ts';
import { type Service, startRedis } from '#test/support/services.ts';

const before = readFileSync(new URL('./sliding-window-before.lua', import.meta.url), 'utf8');
const CLOCK = 'clock:releases';

let server: Service;
let connections: Redis[] = [];
let releases: RedisLimiter[];
beforeAll(async () => {
  server = await startRedis();
  connections = [new Redis(server.url), new Redis(server.url)];
  releases = [before, slidingWindowScript].map(
    (script, i) => new RedisLimiter(connections[i] as Redis, 'releases', scriptWithClockAt(CLOCK, script)),
  );
});
afterAll(async () => {
  for (const connection of connections) connection.disconnect();
  await server?.stop();
});

const clock = new FakeClock();
async function pass(ms: number): Promise<void> {
  clock.advance(ms);
  await setClock(connections[0] as Redis, CLOCK, clock.now());
}

it('admits at most the limit in any 60 s, in whatever turn they come', async () => {
  const step = fc.record({
    gap: fc.oneof(fc.integer({ min: 0, max: 1_500 }), fc.integer({ min: 0, max: 20_000 }), fc.constant(60_000)),
    release: fc.constantFrom(0, 1),
    requests: fc.integer({ min: 1, max: 4 }),
  });
  const trace = fc.array(step, { minLength: 10, maxLength: 60 });
  const property = fc.asyncProperty(trace, fc.integer({ min: 1, max: 10 }), async (steps, limit) => {
    const subject = randomSubject();
    const admissions: number[] = [];
    for (const { gap, release, requests } of steps) {
      await pass(gap);
      for (let request = 0; request < requests; request++) {
        const { admitted, used } = await (releases[release] as RedisLimiter).take(subject, limit);
        if (admitted) admissions.push(clock.now());
        // The release before counts whole seconds, up to 61.
        const counted = admissions.filter((at) => at > clock.now() - 60_000).length;
        expect(used).toBeGreaterThanOrEqual(counted);
        expect(used).toBeLessThanOrEqual(admissions.filter((at) => at > clock.now() - 61_000).length);
      }
    }
    expect(mostIn(admissions)).toBeLessThanOrEqual(limit);
  });
  await fc.assert(property, { numRuns: 60 });
});

it('asks for a minute at most where the release before has written last', async () => {
  const [old, now] = releases as [RedisLimiter, RedisLimiter];
  const property = fc.asyncProperty(fc.integer({ min: 0, max: 999 }), fc.nat({ max: 30_000 }), async (ms, gap) => {
    const subject = randomSubject();
    await pass(ms);
    await old.take(subject, 1);
    await pass(gap);
    const { admitted, retryAfter } = await now.take(subject, 1);
    expect(admitted).toBe(false);
    expect(retryAfter).toBeLessThanOrEqual(60);
    await pass(retryAfter * 1_000);
    expect((await now.take(subject, 1)).admitted).toBe(true);
  });
  await fc.assert(property, { numRuns: 40 });
});
