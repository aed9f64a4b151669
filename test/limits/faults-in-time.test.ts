// Guarantee: whatever happens to Redis, for up to a minute at a time, all gateways together admit at most the limit in
// any 60 s. Minutes of faults on a clock that the test turns; redis-faults.test.ts does the same with real servers.

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LocalLimiter } from '#limits/local-limiter.ts';
import { RedisWatch } from '#limits/redis-watch.ts';
import { ResilientLimiter } from '#limits/resilient-limiter.ts';
import { type Admitted, admittedIn, busiest } from '#test/limits/history.ts';
import { SimulatedRedis } from '#test/limits/simulated-redis.ts';

const STEP_MS = 20;
const START = Date.UTC(2026, 0, 15);

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Fleet {
  redis: SimulatedRedis;
  limiters: ResilientLimiter[];
  history: Admitted[];
}

function fleetOf(count: number, latencyMs: () => number): Fleet {
  const redis = new SimulatedRedis(latencyMs);
  const limiters = Array.from({ length: count }, (_, index) => {
    const connection = redis.connect();
    const watch = new RedisWatch(connection as never, () => connection.probe());
    // Gateways' seconds begin at other moments than Redis's.
    const clock = { now: () => Date.now() + index * 371 };
    const local = new LocalLimiter(clock);
    const limiter = new ResilientLimiter(connection, watch, local, { onFailure: 'local', patienceMs: 50 });
    limiter.join();
    return limiter;
  });
  return { redis, limiters, history: [] };
}

/** Time goes on, and each gateway gets its requests: `each` says how many in a step. */
async function overload(
  { limiters, history }: Fleet,
  limit: number,
  ms: number,
  each: (index: number) => number = () => 1,
): Promise<void> {
  for (let passed = 0; passed < ms; passed += STEP_MS) {
    for (const [index, limiter] of limiters.entries()) {
      for (let request = each(index); request > 0; request--) {
        const sent = Date.now();
        void limiter.take('key', limit).then(({ admitted }) => {
          if (admitted) history.push({ sent, answered: Date.now() });
        });
      }
    }
    await vi.advanceTimersByTimeAsync(STEP_MS);
  }
}

/** Numbers from 0 to 1 that a seed gives again (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const fault = fc.oneof(
  fc.record({ kind: fc.constant('stall' as const), ms: fc.integer({ min: 20, max: 1_500 }) }),
  fc.record({ kind: fc.constant('stall' as const), ms: fc.integer({ min: 1_500, max: 60_000 }) }),
  fc.record({ kind: fc.constant('flush' as const), ms: fc.constant(0) }),
  fc.record({ kind: fc.constant('restart' as const), ms: fc.integer({ min: 20, max: 60_000 }) }),
);
const faults = fc.array(fc.record({ pause: fc.integer({ min: 40, max: 20_000 }), fault }), {
  minLength: 3,
  maxLength: 8,
});

describe.each([2, 3])('%i gateways', (count) => {
  it('admit at most the limit in any 60 s, whatever happens to Redis', { timeout: 600_000 }, async () => {
    const property = fc.asyncProperty(
      faults,
      fc.integer({ min: 10, max: 200 }),
      fc.integer(),
      async (steps, limit, seed) => {
        const random = randomFrom(seed);
        vi.clearAllTimers();
        const fleet = fleetOf(count, () => 1 + Math.floor(random() * 8));
        const { redis } = fleet;
        await overload(fleet, limit, 1_000, () => 0);
        // Evenly: what one gets, all get.
        let burst = 0;
        const each = (index: number) => {
          if (index === 0) burst = random() < 0.3 ? 1 : 0;
          return burst;
        };
        const go = (ms: number) => overload(fleet, limit, ms, each);
        for (const { pause, fault: what } of steps) {
          // Two long ones with nothing between are one that takes longer than a minute.
          await go(what.ms > 1_500 ? Math.max(pause, 2_000) : pause);
          if (what.kind === 'flush') redis.flush();
          if (what.kind === 'stall') redis.stall();
          if (what.kind === 'restart') redis.kill();
          await go(what.ms);
          if (what.kind === 'stall') redis.thaw();
          if (what.kind === 'restart') redis.restart();
        }
        await go(3_000);
        for (const limiter of fleet.limiters) limiter.leave();
        expect(busiest(fleet.history)).toBeLessThanOrEqual(limit);
      },
    );
    await fc.assert(property, { numRuns: 6, endOnFailure: true });
  });

  it.each([120, 1_000])(
    'admit at least four fifths of a limit of %i while Redis is away for a minute',
    async (limit) => {
      const fleet = fleetOf(count, () => 2);
      const random = randomFrom(limit);
      // Half as much again as the limit.
      const each = () => (random() < (1.5 * limit * STEP_MS) / 60_000 / count ? 1 : 0);
      await overload(fleet, limit, 1_000, () => 0);
      await overload(fleet, limit, 130_000, each);
      const killed = Date.now();
      fleet.redis.kill();
      await overload(fleet, limit, 60_000, each);
      const back = Date.now();
      fleet.redis.restart();
      await overload(fleet, limit, 61_000, each);
      for (const limiter of fleet.limiters) limiter.leave();
      expect(admittedIn(fleet.history, killed, back)).toBeGreaterThanOrEqual(0.8 * limit);
      expect(admittedIn(fleet.history, back, back + 61_000)).toBeGreaterThanOrEqual(0.8 * limit);
      expect(busiest(fleet.history)).toBeLessThanOrEqual(limit);
    },
  );

  it('admit a limit that nobody had used when Redis went, and no more', async () => {
    const fleet = fleetOf(count, () => 2);
    await overload(fleet, 100, 1_000, () => 0);
    fleet.redis.kill();
    await overload(fleet, 100, 30_000);
    expect(fleet.history).toHaveLength(100);
  });

  it('admit nothing more of a limit that one of them had used up when Redis went', async () => {
    const fleet = fleetOf(count, () => 2);
    await overload(fleet, 100, 1_000, () => 0);
    await overload(fleet, 100, 3_000, (index) => (index === 0 ? 1 : 0));
    expect(fleet.history).toHaveLength(100);
    fleet.redis.kill();
    await overload(fleet, 100, 30_000, () => 1);
    expect(fleet.history).toHaveLength(100);
  });
});
