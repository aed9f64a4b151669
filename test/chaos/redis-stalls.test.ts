// Redis answers late again and again, or forgets everything.

import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { it } from 'vitest';
import { expectTally } from '#test/faults/tally.ts';
import { createMigratedDatabase } from '#test/support/database.ts';
import { type Service, startRedis } from '#test/support/services.ts';
import { startPart } from './part.ts';

const TIMES = 10;

it.each([
  [
    'stalls for 300 ms, ten times',
    async (redis: Service) => {
      await redis.freeze();
      await sleep(300);
      await redis.thaw();
    },
  ],
  [
    'forgets everything, ten times',
    async (redis: Service) => {
      const client = new Redis(redis.url);
      await client.flushall();
      client.disconnect();
    },
  ],
])('Redis %s', async (name, fault) => {
  await using stack = new AsyncDisposableStack();
  const redis = await startRedis();
  stack.defer(() => redis.stop());
  const created = await createMigratedDatabase();
  stack.defer(() => created.drop());
  const part = stack.use(await startPart({ DATABASE_URL: created.url, REDIS_URL: redis.url }));
  for (let count = 0; count < TIMES; count++) {
    await fault(redis);
    await sleep(500);
  }
  await expectTally(`Redis ${name}`, await part.mended(), part.portfolio);
});
