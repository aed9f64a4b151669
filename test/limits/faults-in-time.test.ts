// Guarantee: during faults of Redis that last up to a minute each, all gateways together admit at most the limit in any
// 60 s. Runs minutes of faults on a fake clock; redis-faults.test.ts does the same with real servers.

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Limited } from '#limits/limiter.ts';
import { LocalLimiter } from '#limits/local-limiter.ts';
import { RedisWatch } from '#limits/redis-watch.ts';
import { ResilientLimiter } from '#limits/resilient-limiter.ts';
import { type Admitted, admittedIn, busiest } from '#test/limits/history.ts';
import { type SimulatedConnection, SimulatedRedis } from '#test/limits/simulated-redis.ts';

const STEP_MS = 20;
const MAX_GATEWAYS = 5;
const START = Date.UTC(2026, 0, 15);
/** Until the first gateways of an empty Redis have waited for others. */
const SETTLING_MS = 3_000;

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Gateway {
  limiter: ResilientLimiter;
  connection: SimulatedConnection;
  /** Receives requests. */
  serves: boolean;
}

class Fleet {
  readonly redis: SimulatedRedis;
  readonly gateways: Gateway[] = [];
  readonly history: Admitted[] = [];
  /** By key, where a firm's limit applies as well. */
  readonly ofKey = new Map<string, Admitted[]>();
  #started = 0;

  constructor(count: number, latencyMs: () => number) {
    this.redis = new SimulatedRedis(latencyMs);
    while (this.gateways.length < count) this.gateways.push(this.start());
  }

  start(): Gateway {
    const connection = this.redis.connect();
    const watch = new RedisWatch(connection as never, () => connection.probe());
    // The seconds of gateways and of Redis begin at different moments.
    const offsetMs = 371 * this.#started++;
    const local = new LocalLimiter({ now: () => Date.now() + offsetMs });
    const limiter = new ResilientLimiter(connection, watch, local, { onFailure: 'local', patienceMs: 50 });
    limiter.join();
    const gateway = { limiter, connection, serves: true };
    void watch.ready.then(() => {
      gateway.serves = true;
    });
    return gateway;
  }

  /** Kills a gateway; another replaces it after `ms` and serves once it is ready. */
  async crash(index: number, ms: number, pass: (ms: number) => Promise<void>): Promise<void> {
    const [gone] = this.gateways.splice(index, 1);
    if (gone === undefined) throw new Error(`there is no gateway ${index}`);
    this.redis.forget(gone.connection);
    await pass(ms);
    this.arrive();
  }

  /** Starts another gateway, which serves once it is ready. */
  arrive(): void {
    const fresh = this.start();
    fresh.serves = false;
    this.gateways.push(fresh);
  }

  stop(): void {
    for (const { limiter } of this.gateways) limiter.leave();
  }
}

/** Advances the time and sends requests to each gateway: `each` says how many per step. */
async function overload(
  { gateways, history, ofKey }: Fleet,
  limit: number,
  ms: number,
  each: (index: number) => number = () => 1,
  firm?: { next(): Limited },
): Promise<void> {
  for (let passed = 0; passed < ms; passed += STEP_MS) {
    for (const [index, { limiter, serves }] of gateways.entries()) {
      for (let request = each(index); serves && request > 0; request--) {
        const sent = Date.now();
        const limits = firm === undefined ? [{ subject: 'key', limit }] : [firm.next(), { subject: 'firm', limit }];
        void limiter.takeAll(limits).then((allowances) => {
          const admitted = allowances.filter((allowance) => allowance.admitted).length;
          if (admitted !== 0 && admitted !== limits.length) throw new Error('admitted by one and not by the other');
          if (admitted === 0 && allowances.every(({ remaining }) => remaining > 0))
            throw new Error('refused, and no limit says that nothing remains');
          if (admitted === 0) return;
          const [subject] = limits.map((one) => one.subject) as [string];
          history.push({ sent, answered: Date.now() });
          ofKey.set(subject, [...(ofKey.get(subject) ?? []), { sent, answered: Date.now() }]);
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

/** A fault of `min` to `max` ms. A crashed gateway is replaced after that. Another gateway may start meanwhile. */
const lasting = (kind: 'stall' | 'restart' | 'crash', min: number, max: number) =>
  fc.record({ kind: fc.constant(kind), ms: fc.integer({ min, max }), arrival: fc.boolean() });
const fault = fc.oneof(
  lasting('stall', 20, 1_500),
  lasting('stall', 1_500, 60_000),
  lasting('restart', 20, 60_000),
  fc.record({ kind: fc.constant('flush' as const), ms: fc.constant(0), arrival: fc.boolean() }),
);
// A crash loses what only the gateway knew: Redis must have been told, and remember it for a minute.
const stallOrCrash = fc.oneof(
  lasting('crash', 300, 4_000),
  lasting('stall', 20, 1_500),
  lasting('stall', 1_500, 60_000),
);
const several = <Value>(what: fc.Arbitrary<Value>) =>
  fc.array(fc.record({ pause: fc.integer({ min: 40, max: 20_000 }), fault: what }), { minLength: 3, maxLength: 8 });

type Kind = 'stall' | 'restart' | 'crash' | 'flush';
type Step = { pause: number; fault: { kind: Kind; ms: number; arrival: boolean } };
const step = (pause: number, kind: Kind, ms: number): Step => ({ pause, fault: { kind, ms, arrival: false } });

/**
 * Stalls after requests left Redis's window, and other gateways used the room, but before they left the windows of the
 * gateways that had admitted them: steps, limit and seed.
 */
const stallsAtExpiry: [Step[], number, number] = [
  [
    ...[step(41, 'stall', 21), step(19_987, 'crash', 306), step(18_094, 'stall', 15_055)],
    ...[step(19_993, 'stall', 1_509), step(18_825, 'stall', 1_509), step(8_130, 'stall', 1_500)],
    ...[step(19_989, 'stall', 57_901), step(19_994, 'stall', 26_964)],
  ],
  ...([146, -1_543_842_428] as const),
];

/** How many requests each gateway gets in a step. */
const rhythms = {
  /** All gateways get the same. */
  even: (random: () => number) => {
    let burst = 0;
    return (index: number) => {
      if (index === 0) burst = random() < 0.3 ? 1 : 0;
      return burst;
    };
  },
  /** Each gateway gets its own, equally many in the long run. */
  scattered: (random: () => number) => () => (random() < 0.3 ? 1 : 0),
};

/**
 * Runs the steps in turn. `go` advances the time under load; the last `quietMs` before each step have no requests,
 * because the other gateways would not yet know what a gateway took above its share then.
 */
async function goThrough(
  steps: readonly Step[],
  fleet: Fleet,
  go: (ms: number, each?: () => number) => Promise<void>,
  random: () => number,
  quietMs = 0,
): Promise<void> {
  const { redis } = fleet;
  for (const [index, { pause, fault: what }] of steps.entries()) {
    // Two long faults without a pause would be one of more than a minute.
    const long = what.ms > 1_500 || what.kind === 'crash' ? 3_000 : 0;
    // A gateway must have asked Redis before a fault: one that has just started knows neither what remains of a limit
    // nor that Redis has lost it.
    const before = steps[index - 1]?.fault;
    const joined = before?.arrival || before?.kind === 'crash' ? 4_000 : 0;
    await go(Math.max(pause, long, joined));
    await go(quietMs, () => 0);
    if (what.kind === 'crash') {
      await fleet.crash(Math.floor(random() * fleet.gateways.length), what.ms, go);
      continue;
    }
    if (what.kind === 'flush') redis.flush();
    if (what.kind === 'stall') redis.stall();
    if (what.kind === 'restart') redis.kill();
    await go(what.ms / 2);
    if (what.arrival && fleet.gateways.length < MAX_GATEWAYS) fleet.arrive();
    await go(what.ms / 2);
    if (what.kind === 'stall') redis.thaw();
    if (what.kind === 'restart') redis.restart();
  }
}

describe.each([2, 3])('%i gateways', (count) => {
  it.each(
    Object.entries(rhythms).flatMap(([name, rhythm]) => [
      [name, 'Redis', rhythm, fault] as const,
      [name, 'Redis and gateways', rhythm, stallOrCrash] as const,
    ]),
  )('under %s overload admit at most the limit in any 60 s with faults of %s', async (...given) => {
    const [, , rhythm, kinds] = given;
    const property = fc.asyncProperty(
      several<Step['fault']>(kinds),
      fc.integer({ min: 10, max: 200 }),
      fc.integer(),
      async (steps, limit, seed) => {
        const random = randomFrom(seed);
        vi.clearAllTimers();
        const fleet = new Fleet(count, () => 1 + Math.floor(random() * 8));
        await overload(fleet, limit, SETTLING_MS, () => 0);
        const each = rhythm(random);
        const go = (ms: number, now: (index: number) => number = each) => overload(fleet, limit, ms, now);
        await goThrough(steps, fleet, go, random);
        await go(3_000);
        fleet.stop();
        expect(busiest(fleet.history)).toBeLessThanOrEqual(limit);
      },
    );
    await fc.assert(property, { numRuns: 12, endOnFailure: true, examples: [stallsAtExpiry] });
  });

  it('admit at most the limits of two keys and of their firm, and count in both or in neither', async () => {
    const property = fc.asyncProperty(
      several<Step['fault']>(fault),
      fc.integer({ min: 10, max: 100 }),
      fc.integer({ min: 10, max: 150 }),
      fc.integer(),
      async (steps, keyLimit, firmLimit, seed) => {
        const random = randomFrom(seed);
        vi.clearAllTimers();
        const fleet = new Fleet(count, () => 1 + Math.floor(random() * 8));
        const next = () => ({ subject: random() < 0.6 ? 'one' : 'other', limit: keyLimit });
        await overload(fleet, firmLimit, SETTLING_MS, () => 0);
        const each = rhythms.scattered(random);
        const go = (ms: number, now: (index: number) => number = each) => overload(fleet, firmLimit, ms, now, { next });
        await goThrough(steps, fleet, go, random, 500);
        await go(65_000);
        fleet.stop();
        expect(busiest(fleet.history)).toBeLessThanOrEqual(firmLimit);
        for (const history of fleet.ofKey.values()) expect(busiest(history)).toBeLessThanOrEqual(keyLimit);
      },
    );
    await fc.assert(property, { numRuns: 12, endOnFailure: true });
  });

  it.each([120, 1_000])(
    'admit at least four fifths of a limit of %i while Redis is down for a minute',
    async (limit) => {
      const fleet = new Fleet(count, () => 2);
      const random = randomFrom(limit);
      // 1.5 times the limit.
      const each = () => (random() < (1.5 * limit * STEP_MS) / 60_000 / count ? 1 : 0);
      await overload(fleet, limit, SETTLING_MS, () => 0);
      await overload(fleet, limit, 130_000, each);
      const killed = Date.now();
      fleet.redis.kill();
      await overload(fleet, limit, 60_000, each);
      const back = Date.now();
      fleet.redis.restart();
      await overload(fleet, limit, 61_000, each);
      fleet.stop();
      expect(admittedIn(fleet.history, killed, back)).toBeGreaterThanOrEqual(0.8 * limit);
      expect(admittedIn(fleet.history, back, back + 61_000)).toBeGreaterThanOrEqual(0.8 * limit);
      expect(busiest(fleet.history)).toBeLessThanOrEqual(limit);
    },
  );

  it('admit exactly the limit of an unused subject after Redis fails', async () => {
    const fleet = new Fleet(count, () => 2);
    await overload(fleet, 100, SETTLING_MS, () => 0);
    fleet.redis.kill();
    await overload(fleet, 100, 30_000);
    expect(fleet.history).toHaveLength(100);
  });

  it('admit nothing more of a limit that one of them had used up when Redis failed', async () => {
    const fleet = new Fleet(count, () => 2);
    await overload(fleet, 100, SETTLING_MS, () => 0);
    await overload(fleet, 100, 3_000, (index) => (index === 0 ? 1 : 0));
    expect(fleet.history).toHaveLength(100);
    fleet.redis.kill();
    await overload(fleet, 100, 30_000, () => 1);
    expect(fleet.history).toHaveLength(100);
  });

  it('admit at most a lowered limit after Redis fails, whatever they hold of the higher one', async () => {
    const fleet = new Fleet(count, () => 2);
    await overload(fleet, 100, SETTLING_MS, () => 0);
    await overload(fleet, 100, 5_000);
    await overload(fleet, 1_000, 8_000);
    await overload(fleet, 100, 30_000);
    fleet.redis.kill();
    fleet.history.length = 0;
    await overload(fleet, 100, 60_000);
    expect(fleet.history.length).toBeGreaterThan(0);
    expect(fleet.history.length).toBeLessThanOrEqual(100);
  });

  it.each(['loses its data', 'stalls'])(
    'admit nothing more of a limit, mostly used by one, when Redis %s right after',
    async (what) => {
      const fleet = new Fleet(count, () => 2);
      await overload(fleet, 100, SETTLING_MS, () => 0);
      // Used up before the gateways' next beat.
      await overload(fleet, 100, 160, (index) => (index === 0 ? 12 : 4));
      expect(fleet.history).toHaveLength(100);
      if (what === 'stalls') fleet.redis.stall();
      else fleet.redis.flush();
      // The others ask first, while Redis has not been told yet what it lost.
      await overload(fleet, 100, 100, (index) => (index === 0 ? 0 : 1));
      await overload(fleet, 100, 30_000);
      expect(fleet.history).toHaveLength(100);
    },
  );

  it('admit no more when another starts while Redis is down, and it serves once Redis is back', async () => {
    const fleet = new Fleet(count, () => 2);
    await overload(fleet, 100, SETTLING_MS, () => 0);
    fleet.redis.kill();
    fleet.arrive();
    await overload(fleet, 100, 50_000);
    expect(fleet.history).toHaveLength(100);
    expect(fleet.gateways.at(-1)?.serves).toBe(false);
    fleet.redis.restart();
    await overload(fleet, 100, SETTLING_MS);
    expect(fleet.gateways.at(-1)?.serves).toBe(true);
    await overload(fleet, 100, 120_000);
    expect(busiest(fleet.history)).toBe(100);
  });

  it('admit no more when another starts just after Redis has lost its data', async () => {
    const fleet = new Fleet(count, () => 2);
    await overload(fleet, 100, SETTLING_MS, () => 0);
    await overload(fleet, 100, 2_000);
    fleet.redis.flush();
    fleet.arrive();
    await overload(fleet, 100, 20_000);
    expect(fleet.history).toHaveLength(100);
    expect(fleet.gateways.at(-1)?.serves).toBe(true);
  });

  it('and another that finds no Redis: it serves after little more than a minute', async () => {
    const fleet = new Fleet(count, () => 2);
    fleet.redis.kill();
    fleet.arrive();
    await overload(fleet, 100, 64_000, () => 0);
    expect(fleet.gateways.at(-1)?.serves).toBe(false);
    await overload(fleet, 100, 2_000, () => 0);
    expect(fleet.gateways.at(-1)?.serves).toBe(true);
  });

  it('leave the share of one that is cut off, however uneven their own load', async () => {
    const fleet = new Fleet(count, () => 2);
    await overload(fleet, 100, SETTLING_MS, () => 0);
    fleet.gateways[0]?.connection.cut();
    await overload(fleet, 100, 2_000, () => 0);
    await overload(fleet, 100, 10_000, (index) => (index === count - 1 ? 1 : 0));
    await overload(fleet, 100, 10_000);
    expect(fleet.history).toHaveLength(100);
  });

  describe('while the clock of Redis is behind the numbers of the beats', () => {
    async function behind(): Promise<Fleet> {
      const fleet = new Fleet(count, () => 2);
      await overload(fleet, 100, SETTLING_MS, () => 0);
      fleet.redis.aheadMs = 3_600_000;
      await overload(fleet, 100, 1_000, () => 0);
      fleet.redis.aheadMs = 0;
      await overload(fleet, 100, 5_000, () => 0);
      return fleet;
    }

    it('admit no more than the limit with one that is cut off', async () => {
      const fleet = await behind();
      fleet.gateways[0]?.connection.cut();
      await overload(fleet, 120, 10_000, () => 0);
      await overload(fleet, 120, 20_000);
      expect(fleet.history).toHaveLength(120);
    });

    it('leave the share of one that was killed for a minute, and no longer', async () => {
      const fleet = await behind();
      const [killed] = fleet.gateways.splice(0, 1);
      killed?.connection.cut();
      await overload(fleet, 120, 10_000, () => 0);
      await overload(fleet, 120, 20_000);
      expect(fleet.history).toHaveLength(120 - 120 / count);
      await overload(fleet, 120, 70_000, () => 0);
      fleet.history.length = 0;
      await overload(fleet, 120, 20_000);
      expect(fleet.history).toHaveLength(120);
    });
  });

  it('do not refuse everything while Redis stalls after one was replaced', async () => {
    const fleet = new Fleet(count, () => 2);
    await overload(fleet, 100, SETTLING_MS, () => 0);
    await fleet.crash(0, 500, (ms) => overload(fleet, 100, ms, () => 0));
    await overload(fleet, 100, 3_000, () => 0);
    expect(fleet.gateways.map(({ serves }) => serves)).toEqual(Array(count).fill(true));
    fleet.redis.stall();
    await overload(fleet, 100, 20_000, (index) => (index === count - 1 ? 1 : 0));
    // Its share, with one left for the gateway that crashed.
    expect(fleet.history.length).toBeGreaterThanOrEqual(Math.floor(100 / (count + 1)));
    await overload(fleet, 100, 20_000);
    expect(fleet.history.length).toBeLessThanOrEqual(100);
  });
});

describe('one gateway', () => {
  it('refuses with nothing remaining while requests leave its window later than that of Redis', async () => {
    const random = randomFrom(1);
    const fleet = new Fleet(1, () => 1 + Math.floor(random() * 8));
    await overload(fleet, 30, SETTLING_MS, () => 0);
    await overload(fleet, 30, 300_000);
    fleet.stop();
    expect(busiest(fleet.history)).toBe(30);
  });
});
