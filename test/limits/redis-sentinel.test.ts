// Limits in a Redis behind Sentinels: the master that they name decides, and after a failover the new one.

import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLimiter, type LimiterHandle } from '#limits/create-limiter.ts';
import { limitKey } from '#limits/redis-limiter.ts';
import { randomSubject } from '#test/limits/rigs.ts';
import { findBinary } from '#test/support/binaries.ts';
import { runRedis, runRedisCluster, runSentinels } from '#test/support/redis-server.ts';
import type { Service } from '#test/support/service.ts';

const binary = findBinary('redis-server') ?? 'redis-server';
let master: Service;
let replica: Service;
let sentinels: Awaited<ReturnType<typeof runSentinels>>;
let gateway: LimiterHandle;
beforeAll(async () => {
  master = await runRedis(binary);
  replica = await runRedis(binary, undefined, ['--replicaof', '127.0.0.1', `${master.port}`]);
  sentinels = await runSentinels(binary, master);
  gateway = createLimiter({ redisUrl: `${sentinels.url}/2`, patienceMs: 5_000 });
  await gateway.ready;
});
afterAll(async () => {
  gateway?.close();
  await sentinels?.stop();
  await Promise.all([master?.stop(), replica?.stop()]);
});

it('the master that Sentinels name decides, in the database of the URL; after a failover the promoted one does', async () => {
  expect(gateway.status()).toBe('redis');
  const subject = randomSubject();
  expect(await gateway.limiter.take(subject, 3)).toMatchObject({ admitted: true, used: 1 });
  const promoted = new Redis(replica.url, { db: 2 });
  await expect.poll(() => promoted.exists(limitKey(subject))).toBe(1);

  await master.kill();
  await expect.poll(gateway.status).toBe('local');
  // What is admitted meanwhile counts afterwards.
  expect(await gateway.limiter.take(subject, 3)).toMatchObject({ admitted: true });
  // On a busy machine Sentinels take half a minute to trust their clocks again.
  await expect.poll(gateway.status, { timeout: 150_000 }).toBe('redis');
  expect(await promoted.role()).toContain('master');
  expect(await gateway.limiter.take(subject, 3)).toMatchObject({ admitted: true, used: 3 });
  expect(await gateway.limiter.take(subject, 3)).toMatchObject({ admitted: false });
  promoted.disconnect();
});

it('a master under another name is not there', async () => {
  const wrong = createLimiter({ redisUrl: sentinels.url.replace('/portico', '/nobody') });
  await wrong.ready;
  expect(wrong.status()).toBe('local');
  wrong.close();
});

it('redis+cluster reaches the whole Cluster from one of its nodes', async () => {
  const cluster = await runRedisCluster(binary, findBinary('redis-cli') ?? 'redis-cli');
  const [first] = cluster.nodes;
  const subjects = Array.from({ length: 20 }, randomSubject);
  const limits = createLimiter({ redisUrl: `redis+cluster://127.0.0.1:${first?.port}`, patienceMs: 5_000 });
  await limits.ready;
  for (const subject of subjects)
    expect(await limits.limiter.take(subject, 1)).toMatchObject({ admitted: true, used: 1 });
  expect(limits.status()).toBe('redis');
  const held = cluster.nodes.map(async ({ url }) => {
    const node = new Redis(url);
    const keys = await node.dbsize();
    node.disconnect();
    return keys;
  });
  for (const keys of await Promise.all(held)) expect(keys).toBeGreaterThan(0);
  limits.close();
  await cluster.stop();
});
