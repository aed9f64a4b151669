import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createLimiter, type LimiterHandle } from '#limits/create-limiter.ts';
import { mostIn, randomSubject } from '#test/limits/rigs.ts';

const LIMIT = 100;
const SECONDS = 64;
/** Answers take their time to arrive, so two moments in Redis may look this much closer together from here. */
const TRAVEL_MS = 500;

let gateways: LimiterHandle[];
beforeAll(async () => {
  gateways = [1, 2, 3].map(() => createLimiter({ redisUrl: inject('services').redisUrl, patienceMs: 5_000 }));
  await Promise.all(gateways.map((gateway) => gateway.ready));
});
afterAll(() => {
  for (const gateway of gateways ?? []) gateway.close();
});

it('three gateways under real overload for more than a minute admit at most the limit in any 60 s', async () => {
  const subject = randomSubject();
  const admissions: number[] = [];
  let firstReset = 0;
  const end = Date.now() + SECONDS * 1_000;
  const overload = async ({ limiter }: LimiterHandle) => {
    while (Date.now() < end) {
      const answer = await limiter.take(subject, LIMIT);
      firstReset ||= answer.resetAt;
      if (answer.admitted) admissions.push(Date.now());
      await sleep(20);
    }
  };
  await Promise.all(gateways.map(overload));

  expect(mostIn(admissions, 60_000 - TRAVEL_MS)).toBeLessThanOrEqual(LIMIT);
  // Each second's requests come back at the second that was named, so a second window has begun by now.
  expect(admissions.length).toBeGreaterThan(LIMIT);
  const returned = admissions[LIMIT] ?? 0;
  expect(returned).toBeGreaterThanOrEqual(firstReset * 1_000 - TRAVEL_MS);
  expect(gateways.map((gateway) => gateway.status())).toEqual(['redis', 'redis', 'redis']);
}, 90_000);
