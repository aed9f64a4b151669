// The limiters behind one interface, on a fake clock, so that minutes of traffic take no time.

import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Limiter } from '#limits/limiter.ts';
import { LocalLimiter } from '#limits/local-limiter.ts';
import { RedisLimiter, slidingWindowScript } from '#limits/redis-limiter.ts';
import { RedisWatch } from '#limits/redis-watch.ts';
import { ResilientLimiter } from '#limits/resilient-limiter.ts';
import { FakeClock } from '#test/support/fake-clock.ts';
import { until } from '#test/support/ports.ts';

export interface Rig {
  /** One limiter per gateway; without Redis, a single gateway. */
  gateways: Limiter[];
  clock: FakeClock;
  /** Sets the clock of Redis to `clock`. */
  sync(): Promise<void>;
  close(): void;
}

export type RigFactory = (redisUrl: string) => Promise<Rig>;

async function localRig(): Promise<Rig> {
  const clock = new FakeClock();
  return { gateways: [new LocalLimiter(clock)], clock, sync: async () => {}, close: () => {} };
}

// Redis's time cannot be set, and the script accepts no other clock, so the test replaces its one call of TIME by a
// read of a key.
export function scriptWithClockAt(key: string): string {
  const [before, after, ...more] = slidingWindowScript.split("redis.call('TIME')");
  if (after === undefined || more.length > 0) throw new Error('the script no longer asks for the time exactly once');
  return `${before}cjson.decode(redis.call('GET', '${key}'))${after}`;
}

/** `now` is in Unix milliseconds. */
export async function setClock(redis: Redis | undefined, key: string, now: number): Promise<void> {
  const second = Math.floor(now / 1000);
  await redis?.set(key, JSON.stringify([`${second}`, `${(now - second * 1000) * 1000}`]));
}

function redisRig(gatewayCount: number, resilient: boolean, offsetMs: number): RigFactory {
  return async (redisUrl) => {
    const clock = new FakeClock();
    const key = `clock:${randomBytes(6).toString('hex')}`;
    const connections = Array.from({ length: gatewayCount }, () => new Redis(redisUrl));
    const sync = () => setClock(connections[0], key, clock.now() + offsetMs);
    await sync();
    const watches: RedisWatch[] = [];
    const gateways = connections.map((connection) => {
      const redis = new RedisLimiter(connection, key, scriptWithClockAt(key));
      if (!resilient) return redis;
      // Real time passes as well, and the machine may be slow: only the tests of faults have a short patience.
      const watch = new RedisWatch(connection, (subject) => redis.probe(subject));
      watches.push(watch);
      const limiter = new ResilientLimiter(redis, watch, new LocalLimiter(clock), {
        onFailure: 'local',
        patienceMs: 10_000,
      });
      limiter.join();
      return limiter;
    });
    await Promise.all(watches.map((watch) => watch.ready));
    // Until all gateways know each other, each leaves out of its requests what the others may admit.
    const settled = async () =>
      gateways.every((one) => !(one instanceof ResilientLimiter) || one.isSettledAmong(gatewayCount));
    await until(settled, 60_000, () => new Error('the gateways do not come together'));
    const close = () => {
      const statuses = watches.map((watch) => watch.status);
      for (const connection of connections) connection.disconnect();
      if (statuses.some((status) => status !== 'redis')) throw new Error('a gateway decided without Redis');
    };
    return { gateways, clock, sync, close };
  };
}

export const rigs: [name: string, make: RigFactory][] = [
  ['local', localRig],
  ['Redis', redisRig(3, false, 0)],
  ['resilient', redisRig(3, true, 0)],
  // The window of a single gateway is as full as that of Redis, and their seconds begin at different times.
  ['lone resilient', redisRig(1, true, 700)],
];

export function randomSubject(): string {
  return `test:${randomBytes(8).toString('hex')}`;
}

/** The most admissions in any minute, its end not included; `times` in ascending order. */
export function mostIn(times: number[]): number {
  let most = 0;
  for (let first = 0, last = 0; last < times.length; last++) {
    while ((times[last] ?? 0) - (times[first] ?? 0) >= 60_000) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
