// A master of a Redis Cluster dies, and its replica takes its place.

import { setTimeout as sleep } from 'node:timers/promises';
import { it } from 'vitest';
import { expectAlerts } from '#test/faults/expect-alerts.ts';
import { expectTally } from '#test/faults/tally.ts';
import { createMigratedDatabase } from '#test/support/database.ts';
import { answers, until } from '#test/support/ports.ts';
import { type Service, startRedisCluster } from '#test/support/services.ts';
import { startPart } from './part.ts';

it('a master of a Redis Cluster dies', async () => {
  await using stack = new AsyncDisposableStack();
  const cluster = await startRedisCluster(1);
  stack.defer(() => cluster.stop());
  const created = await createMigratedDatabase();
  stack.defer(() => created.drop());
  const part = stack.use(await startPart({ DATABASE_URL: created.url, REDIS_URL: cluster.url }));
  /** A node dies, and comes back once another has its place and `work` is done. */
  const without = async (node: Service, work: () => Promise<void>) => {
    await node.kill();
    const others = cluster.nodes.filter(({ pid }) => pid !== node.pid);
    const healthy = async () =>
      (await Promise.all(others.map(({ port }) => answers(port, 'CLUSTER INFO\r\n', 'cluster_state:ok')))).every(
        Boolean,
      );
    await until(healthy, 120_000, () => new Error('the Cluster does not mend'));
    await work();
    await node.restart();
    await until(healthy, 120_000, () => new Error('the Cluster does not mend'));
  };
  // One after the other, so that the one that counts the key is among them.
  for (const master of cluster.nodes.slice(0, 3)) await without(master, () => part.served(100));
  const fault = 'each master of a Redis Cluster dies in turn';
  await expectTally(fault, await part.mended(), part.portfolio);
  await expectAlerts(fault, ['PorticoRedisUnsteady'], part, {
    begin: async (over) => {
      for (let turn = 0; !over.aborted; turn++) {
        const node = cluster.nodes[turn % cluster.nodes.length];
        if (node !== undefined) await without(node, () => sleep(1_000));
      }
    },
    end: () => {},
    lookMs: 30_000,
  });
});
