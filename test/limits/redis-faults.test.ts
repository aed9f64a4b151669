// The guarantee of faults-in-time.test.ts with real servers in real time: several gateways under even overload admit at
// most the limit in any 60 s while Redis stalls, loses its data and restarts.

import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { createLimiter, type LimiterHandle } from '#limits/create-limiter.ts';
import { type Admitted, busiest } from '#test/limits/history.ts';
import { startRedis, startRedisCluster } from '#test/support/services.ts';

const LIMIT = 100;
const SECONDS = 75;
/** Between two requests of a gateway for each subject: about sixteen times the limit by two gateways. */
const TAKE_MS = 75;
const SUBJECTS = ['one', 'two', 'three', 'four'];

interface Target {
  url: string;
  /** Causes a fault and ends it. Called repeatedly. */
  mistreat(): Promise<void>;
  stop(): Promise<void>;
}

async function gatewaysOn({ url, mistreat, stop }: Target, count: number): Promise<Admitted[][]> {
  const gateways = Array.from({ length: count }, () => createLimiter({ redisUrl: url }));
  try {
    await Promise.all(gateways.map((gateway) => gateway.ready));
    const histories = SUBJECTS.map((): Admitted[] => []);
    const end = Date.now() + SECONDS * 1_000;
    const overload = async ({ limiter }: LimiterHandle) => {
      while (Date.now() < end) {
        for (const [index, subject] of SUBJECTS.entries()) {
          const sent = Date.now();
          void limiter.take(subject, LIMIT).then(({ admitted }) => {
            if (admitted) histories[index]?.push({ sent, answered: Date.now() });
          });
        }
        await sleep(TAKE_MS);
      }
    };
    const faults = async () => {
      while (Date.now() < end) await mistreat();
    };
    await Promise.all([faults(), ...gateways.map(overload)]);
    await sleep(1_000);
    return histories;
  } finally {
    for (const gateway of gateways) gateway.close();
    await stop();
  }
}

async function single(mistreat: (redis: Awaited<ReturnType<typeof startRedis>>) => Promise<void>): Promise<Target> {
  const redis = await startRedis();
  return { url: redis.url, mistreat: () => mistreat(redis), stop: () => redis.stop() };
}

const targets: Record<string, () => Promise<Target>> = {
  'stalls, short and long': () =>
    single(async (redis) => {
      for (const ms of [60, 120, 300, 900, 3_000]) {
        await redis.freeze();
        await sleep(ms);
        await redis.thaw();
        await sleep(1_700);
      }
    }),
  'loses its data': () =>
    single(async (redis) => {
      await sleep(2_300);
      const admin = new Redis(redis.url);
      await admin.flushall();
      admin.disconnect();
    }),
  'is killed and restarted': () =>
    single(async (redis) => {
      await sleep(4_000);
      await redis.kill();
      await sleep(5_000);
      await redis.restart();
    }),
  'is a Cluster that loses a master': async () => {
    const cluster = await startRedisCluster({ nodeTimeoutMs: 2_000 });
    return {
      url: cluster.url,
      mistreat: async () => {
        await sleep(5_000);
        await cluster.nodes[1]?.kill();
        await sleep(6_000);
        await cluster.nodes[1]?.restart();
        await sleep(5_000);
      },
      stop: cluster.stop,
    };
  },
};

it.concurrent.each(Object.keys(targets).flatMap((name) => [2, 3].map((count) => [name, count] as const)))(
  'Redis %s: %i gateways admit at most the limit in any 60 s',
  async (name, count) => {
    const target = await targets[name]?.();
    if (target === undefined) throw new Error(name);
    for (const history of await gatewaysOn(target, count)) {
      expect(busiest(history)).toBeLessThanOrEqual(LIMIT);
      // The run is longer than a window, so the gateways must have admitted much of one limit.
      expect(history.length).toBeGreaterThanOrEqual(0.5 * LIMIT);
    }
  },
);
