// A master of a Redis Cluster dies, and its replica takes its place.

import { it } from 'vitest';
import { expectTally } from '#test/faults/tally.ts';
import { createMigratedDatabase } from '#test/support/database.ts';
import { answers, until } from '#test/support/ports.ts';
import { startRedisCluster } from '#test/support/services.ts';
import { startPart } from './part.ts';

it('a master of a Redis Cluster dies', async () => {
  await using stack = new AsyncDisposableStack();
  const cluster = await startRedisCluster(1);
  stack.defer(() => cluster.stop());
  const created = await createMigratedDatabase();
  stack.defer(() => created.drop());
  const part = stack.use(await startPart({ DATABASE_URL: created.url, REDIS_URL: cluster.url }));
  // One after the other, so that the one that counts the key is among them.
  for (const master of cluster.nodes.slice(0, 3)) {
    await master.kill();
    const others = cluster.nodes.filter((node) => node.pid !== master.pid);
    const healthy = async () =>
      (await Promise.all(others.map((node) => answers(node.port, 'CLUSTER INFO\r\n', 'cluster_state:ok')))).every(
        Boolean,
      );
    await until(healthy, 120_000, () => new Error('the Cluster does not mend'));
    await part.served(100);
    await master.restart();
    await until(healthy, 120_000, () => new Error('the Cluster does not mend'));
  }
  await expectTally('each master of a Redis Cluster dies in turn', await part.mended(), part.portfolio);
});
