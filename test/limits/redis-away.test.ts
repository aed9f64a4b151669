// Limits while Redis is down, frozen or refuses writes.

import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Gateways, reaches, SLOWEST_MS, takeMany } from '#test/limits/gateways.ts';
import { randomSubject } from '#test/limits/rigs.ts';
import { freePort } from '#test/support/ports.ts';

let gateways: Gateways;
beforeEach(async () => {
  gateways = await Gateways.start();
});
afterEach(async () => {
  vi.useRealTimers();
  await gateways?.stop();
});

describe('while Redis is', () => {
  it('killed: no request fails or waits, and what was admitted through Redis still counts', async () => {
    const handle = await gateways.add();
    const subject = randomSubject();
    expect((await takeMany(handle, subject, 100, 60)).admitted).toBe(60);
    await gateways.redis.kill();
    const after = await takeMany(handle, subject, 100, 200);
    expect(after.admitted).toBe(40);
    expect(after.slowest).toBeLessThan(SLOWEST_MS);
    expect(after.answers.every((answer) => !answer.unavailable)).toBe(true);
    expect(handle.status()).toBe('local');
  });

  it('killed during requests: none is lost, and none is admitted beyond the limit', async () => {
    const handle = await gateways.add();
    const subject = randomSubject();
    const running = takeMany(handle, subject, 500, 20_000);
    await sleep(20);
    await gateways.redis.kill();
    const { answers, admitted, slowest } = await running;
    expect(answers).toHaveLength(20_000);
    expect(admitted).toBe(500);
    expect(slowest).toBeLessThan(SLOWEST_MS);
  });

  it('frozen: the first requests wait 50 ms, later ones not at all', async () => {
    const handle = await gateways.add();
    const subject = randomSubject();
    await takeMany(handle, subject, 1_000, 50);
    await gateways.redis.freeze();
    const first = await takeMany(handle, subject, 1_000, 8);
    expect(first.slowest).toBeGreaterThan(40);
    expect(first.slowest).toBeLessThan(SLOWEST_MS);
    // Fake timers: a request that waited for a timeout now would hang.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const later = await takeMany(handle, subject, 1_000, 2_000);
    vi.useRealTimers();
    expect(first.admitted + later.admitted).toBe(950);
    await gateways.redis.thaw();
  });

  it('down at the start: the gateway waits while others may use its share, then limits by itself', async () => {
    const redisUrl = `redis://127.0.0.1:${await freePort()}`;
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    let ready = false;
    const started = gateways.add({ redisUrl }).finally(() => {
      ready = true;
    });
    await vi.advanceTimersByTimeAsync(64_000);
    expect(ready).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    const handle = await started;
    vi.useRealTimers();
    expect((await takeMany(handle, randomSubject(), 100, 120)).admitted).toBe(100);
  });

  it('down at the start: a gateway that denies without Redis waits for a second', async () => {
    const redisUrl = `redis://127.0.0.1:${await freePort()}`;
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const started = gateways.add({ redisUrl, onRedisFailure: 'deny' });
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await started).status()).toBe('local');
  });

  it('refusing writes: the gateway decides by itself, and its status says so', async () => {
    const handle = await gateways.add();
    const admin = new Redis(gateways.redis.url);
    await admin.config('SET', 'maxmemory', '1');
    expect((await takeMany(handle, randomSubject(), 10, 20)).admitted).toBe(10);
    expect(handle.status()).toBe('local');
    await admin.config('SET', 'maxmemory', '0');
    await reaches(handle, 'redis');
    admin.disconnect();
  });

  it('frozen and thawed: requests admitted without its answer still count', async () => {
    const handle = await gateways.add();
    const subject = randomSubject();
    await gateways.redis.freeze();
    expect((await takeMany(handle, subject, 10, 10)).admitted).toBe(10);
    await gateways.redis.thaw();
    await reaches(handle, 'redis');
    expect((await takeMany(handle, subject, 10, 10)).admitted).toBe(0);
  });

  it('killed, with deny: every request is unavailable at once and counts nothing', async () => {
    const handle = await gateways.add({ onRedisFailure: 'deny' });
    const subject = randomSubject();
    expect((await takeMany(handle, subject, 10, 4)).admitted).toBe(4);
    await gateways.redis.kill();
    const away = await takeMany(handle, subject, 10, 20);
    expect(away.answers.every((answer) => answer.unavailable && !answer.admitted)).toBe(true);
    expect(away.slowest).toBeLessThan(SLOWEST_MS);
    await gateways.redis.restart();
    await reaches(handle, 'redis');
    const back = await takeMany(handle, subject, 10, 20);
    expect(back.admitted).toBe(6);
    expect(back.answers.some((answer) => answer.unavailable)).toBe(false);
  });

  it('emptied, with deny: no request is unavailable, and the gateway reports what was lost', async () => {
    const handle = await gateways.add({ onRedisFailure: 'deny' });
    const subject = randomSubject();
    expect((await takeMany(handle, subject, 10, 4)).admitted).toBe(4);
    const admin = new Redis(gateways.redis.url);
    await admin.flushall();
    admin.disconnect();
    const after = await takeMany(handle, subject, 10, 1);
    expect(after.answers.some((answer) => answer.unavailable)).toBe(false);
    await expect.poll(async () => (await handle.limiter.peek(subject, 10)).remaining).toBe(5);
    expect((await takeMany(handle, subject, 10, 20)).admitted).toBe(5);
  });
});

describe('a gateway whose event loop was busy', () => {
  it('does not treat answers that have arrived as late', async () => {
    const handle = await gateways.add();
    const answers = Array.from({ length: 20 }, () => handle.limiter.take('busy', 100));
    await sleep(0);
    const end = performance.now() + 120;
    while (performance.now() < end);
    await Promise.all(answers);
    expect(handle.status()).toBe('redis');
  });
});

describe('after close', () => {
  it('requests are still answered, and nothing is reported or thrown', async () => {
    const states: string[] = [];
    const handle = await gateways.add({ onStateChange: (state) => states.push(state) });
    handle.close();
    expect((await takeMany(handle, randomSubject(), 10, 20)).admitted).toBe(10);
    await sleep(200);
    expect(states).toEqual(['redis']);
  });
});
