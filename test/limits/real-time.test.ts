// Guarantee: gateways that share a Redis admit at most the limit in any 60 s of real time.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createLimiter, type LimiterHandle } from '#limits/create-limiter.ts';
import { randomSubject } from '#test/limits/rigs.ts';

const LIMIT = 100;
const SECONDS = 64;
const MINUTE_MS = 60_000;

/** An admission, which Redis decided at some moment between `sent` and `answered`. */
interface Admission {
  sent: number;
  answered: number;
}

let gateways: LimiterHandle[];
beforeAll(async () => {
  gateways = [1, 2, 3].map(() => createLimiter({ redisUrl: inject('services').redisUrl, patienceMs: 60_000 }));
  await Promise.all(gateways.map((gateway) => gateway.ready));
});
afterAll(() => {
  for (const gateway of gateways ?? []) gateway.close();
});

it('three gateways under real overload for more than a minute admit at most the limit in any 60 s', async () => {
  const subject = randomSubject();
  const admissions: Admission[] = [];
  let firstReset = 0;
  const end = Date.now() + SECONDS * 1_000;
  const overload = async ({ limiter }: LimiterHandle) => {
    while (Date.now() < end || admissions.length <= LIMIT) {
      const sent = Date.now();
      const answer = await limiter.take(subject, LIMIT);
      firstReset ||= answer.resetAt;
      if (answer.admitted) admissions.push({ sent, answered: Date.now() });
      await sleep(20);
    }
  };
  await Promise.all(gateways.map(overload));

  for (const { sent: from } of admissions) {
    const within = admissions.filter(({ sent, answered }) => sent >= from && answered < from + MINUTE_MS);
    expect(within.length).toBeLessThanOrEqual(LIMIT);
  }
  // The first ones have left the window after 60 s, and at the earliest in the second before the named reset.
  const returned = admissions[LIMIT]?.answered ?? 0;
  expect(returned).toBeGreaterThanOrEqual((admissions[0]?.sent ?? 0) + MINUTE_MS);
  expect(returned).toBeGreaterThan((firstReset - 1) * 1_000);
  expect(gateways.map((gateway) => gateway.status())).toEqual(['redis', 'redis', 'redis']);
}, 300_000);
