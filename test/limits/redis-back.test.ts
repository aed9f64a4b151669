// Limits after Redis was down, frozen or emptied.

import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { registryKey } from '#limits/fleet.ts';
import { Gateways, reaches, takeMany } from '#test/limits/gateways.ts';
import { randomSubject } from '#test/limits/rigs.ts';

/** For gateways that are not to decide alone where a busy machine delays an answer of Redis. */
const PATIENT = { patienceMs: 60_000 };

let gateways: Gateways;
beforeEach(async () => {
  gateways = await Gateways.start();
});
afterEach(() => gateways?.stop());

describe('after Redis was', () => {
  it('killed: gateways use it and share the limit again', async () => {
    const one = await gateways.add(PATIENT);
    const two = await gateways.add(PATIENT);
    await gateways.redis.kill();
    await Promise.all([reaches(one, 'local'), reaches(two, 'local')]);
    await gateways.redis.restart();
    await Promise.all([reaches(one, 'redis'), reaches(two, 'redis')]);
    const subject = randomSubject();
    const first = await takeMany(one, subject, 100, 70);
    const second = await takeMany(two, subject, 100, 70);
    expect(first.admitted + second.admitted).toBe(100);
  });

  it('restarted empty: what the gateway admitted before still counts', async () => {
    const handle = await gateways.add(PATIENT);
    const subject = randomSubject();
    expect((await takeMany(handle, subject, 100, 100)).admitted).toBe(100);
    await gateways.redis.restart();
    await reaches(handle, 'redis');
    const { answers, admitted } = await takeMany(handle, subject, 100, 50);
    expect(admitted).toBe(0);
    expect(answers[0]).toMatchObject({ remaining: 0 });
  });

  it('emptied without an interruption: what the gateway admitted before still counts', async () => {
    const handle = await gateways.add(PATIENT);
    const subject = randomSubject();
    await takeMany(handle, subject, 100, 80);
    const admin = new Redis(gateways.redis.url);
    await admin.flushall();
    admin.disconnect();
    expect(handle.status()).toBe('redis');
    const after = await takeMany(handle, subject, 100, 80);
    expect(after.admitted).toBe(20);
  });

  it('frozen: the gateway recovers and uses it again', async () => {
    const states: string[] = [];
    const handle = await gateways.add({ patienceMs: 2_000, onStateChange: (state) => states.push(state) });
    await gateways.redis.freeze();
    await takeMany(handle, randomSubject(), 10, 1);
    await reaches(handle, 'local');
    await gateways.redis.thaw();
    await reaches(handle, 'redis');
    expect(states).toEqual(['redis', 'local', 'recovering', 'redis']);
  });

  it('frozen for longer than the connection lasts: the gateway uses it again', async () => {
    const handle = await gateways.add();
    await gateways.redis.freeze();
    await takeMany(handle, randomSubject(), 10, 1);
    await reaches(handle, 'local');
    await sleep(3_000);
    await gateways.redis.thaw();
    await reaches(handle, 'redis');
  });

  it('given unreadable entries in the list of gateways: they are removed, and other gateways join', async () => {
    const one = await gateways.add(PATIENT);
    const admin = new Redis(gateways.redis.url);
    const unreadable = { someone: 'garbage', other: `${Date.now()} 0 0 {garbage`, '': 'garbage' };
    await admin.hset(registryKey('default'), unreadable);
    await expect.poll(() => admin.hkeys(registryKey('default')), { timeout: 60_000 }).not.toContain('someone');
    admin.disconnect();
    const two = await gateways.add(PATIENT);
    await Promise.all([reaches(one, 'redis'), reaches(two, 'redis')]);
    const subject = randomSubject();
    const both = [await takeMany(one, subject, 100, 70), await takeMany(two, subject, 100, 70)];
    expect(both.reduce((sum, { admitted }) => sum + admitted, 0)).toBe(100);
  });

  it('killed: the gateway reports the cause', async () => {
    const causes: (Error | undefined)[] = [];
    const handle = await gateways.add({ onStateChange: (_state, cause) => causes.push(cause) });
    await gateways.redis.kill();
    await reaches(handle, 'local');
    expect(causes.at(-1)).toBeInstanceOf(Error);
  });
});
