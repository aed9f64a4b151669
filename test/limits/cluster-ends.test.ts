// A process that closes its connection to a Redis Cluster exits, also during a refresh of the slots.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { startRedisCluster } from '#test/support/services.ts';

/** Longer than the interval of slot refreshes, and shorter than the timeout of a request to a frozen node. */
const CLOSE_AFTER_MS = 5_500;

it('closing the connection during a slot refresh lets the process exit', async () => {
  const cluster = await startRedisCluster();
  try {
    const code = `
      const { openRedis } = await import('#limits/redis-connection.ts');
      const redis = openRedis(${JSON.stringify(cluster.url)});
      redis.on('error', () => {});
      redis.once('ready', () => {
        setTimeout(() => redis.disconnect(), ${CLOSE_AFTER_MS});
        console.log('ready');
      });`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: 60_000,
    });
    const exited = once(child, 'exit');
    await once(child.stdout, 'data');
    for (const node of cluster.nodes) await node.freeze();
    expect(await exited).toEqual([0, null]);
  } finally {
    await cluster.stop();
  }
});
