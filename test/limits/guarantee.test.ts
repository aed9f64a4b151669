// Guarantee: a limiter admits at most the limit in any 60 s, in memory, in Redis and with both.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createLimiter } from '#limits/create-limiter.ts';
import type { Allowance } from '#limits/limiter.ts';
import { mostIn, type Rig, randomSubject, rigs } from '#test/limits/rigs.ts';
import { type Service, startRedis } from '#test/support/services.ts';

let redis: Service;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis?.stop());

/** Sends `count` requests at once, to the gateways in turn. */
function burst(rig: Rig, subject: string, limit: number, count: number): Promise<Allowance[]> {
  const { gateways } = rig;
  return Promise.all(Array.from({ length: count }, (_, i) => pick(gateways, i).take(subject, limit)));
}

function pick<T>(list: T[], i: number): T {
  return list[i % list.length] as T;
}

const admittedOf = (answers: Allowance[]) => answers.filter((answer) => answer.admitted).length;

describe.each(rigs)('the %s limiter', (_name, make) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await make(redis.url);
  });
  afterAll(() => rig?.close());

  const pass = async (ms: number) => {
    rig.clock.advance(ms);
    await rig.sync();
  };

  it('admits exactly the limit of a burst that exceeds it', async () => {
    const subject = randomSubject();
    expect(admittedOf(await burst(rig, subject, 100, 120))).toBe(100);
    expect(await pick(rig.gateways, 1).peek(subject, 100)).toMatchObject({ used: 100, remaining: 0, refused: 20 });
  });

  it('never admits more than the limit in any 60 s, for any pattern of requests', async () => {
    const step = fc.record({
      gap: fc.oneof(fc.integer({ min: 0, max: 1_500 }), fc.integer({ min: 0, max: 70_000 }), fc.constant(60_000)),
      requests: fc.integer({ min: 1, max: 12 }),
    });
    const trace = fc.array(step, { minLength: 10, maxLength: 60 });
    const property = fc.asyncProperty(trace, fc.integer({ min: 1, max: 20 }), async (steps, limit) => {
      const subject = randomSubject();
      const admissions: number[] = [];
      for (const { gap, requests } of steps) {
        await pass(gap);
        const count = admittedOf(await burst(rig, subject, limit, requests));
        admissions.push(...Array<number>(count).fill(rig.clock.now()));
      }
      expect(mostIn(admissions)).toBeLessThanOrEqual(limit);
    });
    await fc.assert(property, { numRuns: 40 });
  });

  it('never admits more than the limit in any true 60 s when the clock jumps back', async () => {
    const step = fc.record({
      gap: fc.integer({ min: 0, max: 30_000 }),
      back: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 200_000 })),
    });
    const property = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const subject = randomSubject();
      const admissions: number[] = [];
      let trueTime = 0;
      for (const { gap, back } of steps) {
        trueTime += gap;
        await pass(gap - back);
        const count = admittedOf(await burst(rig, subject, 5, 3));
        admissions.push(...Array<number>(count).fill(trueTime));
      }
      expect(mostIn(admissions)).toBeLessThanOrEqual(5);
    });
    await fc.assert(property, { numRuns: 40 });
  });

  it('refuses for no longer than two windows after the clock jumped back by a day', async () => {
    const subject = randomSubject();
    await burst(rig, subject, 5, 5);
    await pass(-86_400_000);
    expect(admittedOf(await burst(rig, subject, 5, 1))).toBe(0);
    await pass(122_000);
    expect(admittedOf(await burst(rig, subject, 5, 5))).toBe(5);
  });

  it('admits at least 98 % of the limit at steady overload', async () => {
    const subject = randomSubject();
    const seconds = 610;
    let admitted = 0;
    for (let step = 0; step < seconds * 4; step++) {
      admitted += admittedOf(await burst(rig, subject, 60, 1));
      await pass(250);
    }
    expect(admitted / ((seconds / 60) * 60)).toBeGreaterThanOrEqual(0.98);
  });

  it('does not count refused requests against later ones', async () => {
    const subject = randomSubject();
    await burst(rig, subject, 10, 10);
    for (let second = 0; second < 62; second++) {
      await pass(1_000);
      if (second < 59) expect(admittedOf(await burst(rig, subject, 10, 5))).toBe(0);
    }
    expect(admittedOf(await burst(rig, subject, 10, 10))).toBe(10);
  });

  it('names the first second in which a retry succeeds', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 9_000 }), { minLength: 5, maxLength: 5 }),
      fc.nat({ max: 14_000 }),
      async (gaps, later) => {
        const subject = randomSubject();
        const gateway = pick(rig.gateways, 0);
        for (const gap of gaps) {
          await pass(gap);
          await gateway.take(subject, 5);
        }
        await pass(later);
        const refused = await gateway.take(subject, 5);
        expect(refused).toMatchObject({ admitted: false, remaining: 0 });
        const { retryAfter, resetAt } = refused;
        expect(retryAfter).toBeGreaterThanOrEqual(1);
        expect(retryAfter).toBeLessThanOrEqual(60);
        // The reset is on the clock of the limiter that decided, which differs from the test's by at most a second.
        expect(Math.abs(resetAt - rig.clock.now() / 1_000 - retryAfter)).toBeLessThan(2);
        await pass((retryAfter - 1) * 1_000 - 1);
        expect((await gateway.take(subject, 5)).admitted).toBe(false);
        await pass(1_001);
        expect((await gateway.take(subject, 5)).admitted).toBe(true);
      },
    );
    await fc.assert(property, { numRuns: 25 });
  });

  it('names a wait of 60 s and admits then, however late in its second the limit was reached', async () => {
    const property = fc.asyncProperty(fc.integer({ min: 0, max: 2_000 }), async (ms) => {
      const subject = randomSubject();
      await pass(ms);
      const answers = await burst(rig, subject, 3, 5);
      expect(answers.map(({ retryAfter }) => retryAfter)).toEqual([60, 60, 60, 60, 60]);
      await pass(59_999);
      expect(admittedOf(await burst(rig, subject, 3, 5))).toBe(0);
      await pass(1);
      expect(admittedOf(await burst(rig, subject, 3, 5))).toBe(3);
    });
    await fc.assert(property, { numRuns: 20 });
  });

  it('admits again after the wait that an admitted request names', async () => {
    const subject = randomSubject();
    const [answer] = await burst(rig, subject, 1, 2);
    await pass((answer?.retryAfter ?? 0) * 1_000);
    expect(admittedOf(await burst(rig, subject, 1, 1))).toBe(1);
  });

  it('admits a request with two windows only if both have room, and counts it in both or in neither', async () => {
    const [one, other, firm] = ['one', 'other', 'firm'].map((name) => `{${randomSubject()}}:${name}`);
    const ask = (subject = '', i: number) =>
      pick(rig.gateways, i).takeAll([
        { subject, limit: 6 },
        { subject: firm ?? '', limit: 10 },
      ]);
    const used = async (subject = '') => (await pick(rig.gateways, 0).peek(subject, 100)).used;
    const admitted = async (subject: string | undefined, count: number) => {
      const answers = await Promise.all(Array.from({ length: count }, (_, i) => ask(subject, i)));
      for (const [key, whole] of answers) expect(key?.admitted).toBe(whole?.admitted);
      return answers.filter(([key]) => key?.admitted).length;
    };
    expect(await admitted(one, 8)).toBe(6);
    expect([await used(one), await used(firm)]).toEqual([6, 6]);
    await pass(10_000);
    // Within its own limit, and beyond the firm's.
    expect(await admitted(other, 6)).toBe(4);
    expect([await used(one), await used(other), await used(firm)]).toEqual([6, 4, 10]);
    const [key, whole] = await ask(other, 0);
    expect([key?.remaining, whole?.remaining, whole?.retryAfter]).toEqual([2, 0, 50]);
    await pass(49_999);
    expect(await admitted(other, 1)).toBe(0);
    await pass(1);
    expect(await admitted(other, 6)).toBe(2);
    expect([await used(one), await used(other), await used(firm)]).toEqual([0, 6, 6]);
  });

  it('does not count a peek', async () => {
    const subject = randomSubject();
    for (let i = 0; i < 20; i++) {
      expect(await pick(rig.gateways, i).peek(subject, 3)).toMatchObject({ admitted: false, used: 0, remaining: 3 });
    }
    expect(admittedOf(await burst(rig, subject, 3, 5))).toBe(3);
  });

  it('keeps the count when the limit changes, and names the time when a lowered one has room again', async () => {
    const subject = randomSubject();
    const gateway = pick(rig.gateways, 0);
    expect(admittedOf(await burst(rig, subject, 10, 10))).toBe(10);
    await pass(5_000);
    expect(admittedOf(await burst(rig, subject, 15, 10))).toBe(5);
    const lowered = await gateway.take(subject, 4);
    expect(lowered).toMatchObject({ admitted: false, limit: 4, used: 15, remaining: 0 });
    await pass(lowered.resetAt * 1_000 - rig.clock.now());
    expect((await gateway.take(subject, 4)).admitted).toBe(true);
  });

  it('admits nothing at limit 0', async () => {
    expect(await pick(rig.gateways, 0).take(randomSubject(), 0)).toMatchObject({ admitted: false, remaining: 0 });
  });

  it('counts subjects separately', async () => {
    await burst(rig, 'one', 1, 2);
    expect(admittedOf(await burst(rig, randomSubject(), 1, 1))).toBe(1);
  });
});

it('the script in Redis and the window in memory give the same results', async () => {
  const [local, shared] = await Promise.all([rigs[0]?.[1](redis.url), rigs[1]?.[1](redis.url)]);
  if (!local || !shared) throw new Error('no rigs');
  const step = fc.record({ gap: fc.integer({ min: -3_000, max: 20_000 }), limit: fc.integer({ min: 0, max: 8 }) });
  const property = fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
    const subject = randomSubject();
    for (const { gap, limit } of steps) {
      for (const rig of [local, shared]) rig.clock.advance(gap);
      await shared.sync();
      expect(await pick(shared.gateways, 0).take(subject, limit)).toEqual(
        await pick(local.gateways, 0).take(subject, limit),
      );
    }
  });
  await fc.assert(property, { numRuns: 40 }).finally(() => shared.close());
});

it.each([61_000, -3_600_000])(
  'a gateway without Redis keeps its count when its clock is set by %i ms',
  async (step) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    try {
      const { limiter } = createLimiter();
      const takeMany = () => Promise.all(Array.from({ length: 150 }, () => limiter.take('key', 100)));
      expect(admittedOf(await takeMany())).toBe(100);
      vi.setSystemTime(Date.now() + step);
      const answers = await takeMany();
      expect(admittedOf(answers)).toBe(0);
      // Resets are on the clock that callers compare them with.
      const seconds = (answers.at(-1)?.resetAt ?? 0) - Date.now() / 1_000;
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(61);
    } finally {
      vi.useRealTimers();
    }
  },
);
