// Masters of a Redis Cluster die, and their replicas take over.

import { setTimeout as sleep } from 'node:timers/promises';
import { it } from 'vitest';
import { expectAlerts } from '#test/faults/expect-alerts.ts';
import { expectTally } from '#test/faults/tally.ts';
import { createMigratedDatabase } from '#test/support/database.ts';
import { startRedisCluster } from '#test/support/services.ts';
import { startPart } from './part.ts';

/** Between two failovers, which take some seconds each, so that Redis is available most of the time. */
const REST_MS = 10_000;
/** Longer than three failovers, so that the masters of the key and of the list of gateways are among them. */
const LOOK_MS = 60_000;

it('each master of a Redis Cluster dies in turn', async () => {
  await using stack = new AsyncDisposableStack();
  const cluster = await startRedisCluster({ replicas: 1, nodeTimeoutMs: 2_000 });
  stack.defer(() => cluster.stop());
  const created = await createMigratedDatabase();
  stack.defer(() => created.drop());
  const part = stack.use(await startPart({ DATABASE_URL: created.url, REDIS_URL: cluster.url }));
  // All of them, so that the master that counts for the key is among them.
  for (const master of await cluster.masters()) await cluster.failOver(master, () => part.served(100));
  const fault = 'each master of a Redis Cluster dies in turn';
  await expectTally(fault, await part.recovered(), part.portfolio);
  await expectAlerts(fault, ['PorticoRedisUnsteady'], part, {
    begin: async (over) => {
      while (!over.aborted)
        for (const master of await cluster.masters())
          if (!over.aborted)
            await cluster.failOver(master, () => sleep(REST_MS, undefined, { signal: over }).catch(() => {}));
    },
    end: () => {},
    lookMs: LOOK_MS,
  });
});
