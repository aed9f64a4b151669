// Redis repeatedly responds late, or loses all its data.

import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { it } from 'vitest';
import { expectAlerts } from '#test/faults/expect-alerts.ts';
import { expectTally } from '#test/faults/tally.ts';
import { createMigratedDatabase } from '#test/support/database.ts';
import { type Service, startRedis } from '#test/support/services.ts';
import { startPart } from './part.ts';

const TIMES = 10;

it.each([
  {
    name: 'stalls for 300 ms, ten times',
    alerts: ['PorticoRedisLate'],
    cause: async (redis: Service) => {
      await redis.freeze();
      await sleep(300);
      await redis.thaw();
    },
  },
  {
    name: 'loses all data, ten times',
    alerts: [],
    cause: async (redis: Service) => {
      const client = new Redis(redis.url);
      await client.flushall();
      client.disconnect();
    },
  },
])('Redis $name', async ({ name, alerts, cause }) => {
  await using stack = new AsyncDisposableStack();
  const redis = await startRedis();
  stack.defer(() => redis.stop());
  const created = await createMigratedDatabase();
  stack.defer(() => created.drop());
  const part = stack.use(await startPart({ DATABASE_URL: created.url, REDIS_URL: redis.url }));
  for (let count = 0; count < TIMES; count++) {
    await cause(redis);
    await sleep(500);
  }
  const fault = `Redis ${name}`;
  await expectTally(fault, await part.recovered(), part.portfolio);
  await expectAlerts(fault, alerts, part, {
    begin: async (over) => {
      for (; !over.aborted; await sleep(500)) await cause(redis);
    },
    end: () => {},
    lookMs: 8_000,
  });
});
