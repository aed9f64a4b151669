// Limits in a Redis behind Sentinels: the master that they name decides, and after a failover the new one.

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLimiter, type LimiterHandle } from '#limits/create-limiter.ts';
import { limitKey } from '#limits/subjects.ts';
import { randomSubject } from '#test/limits/rigs.ts';
import { findBinary } from '#test/support/binaries.ts';
import { runRedis, runRedisCluster, runSentinels } from '#test/support/redis-server.ts';
import type { Service } from '#test/support/service.ts';

const binary = findBinary('redis-server') ?? 'redis-server';
let master: Service;
let replica: Service;
let sentinels: Awaited<ReturnType<typeof runSentinels>>;
let gateway: LimiterHandle;
const changes: string[] = [];
beforeAll(async () => {
  master = await runRedis(binary);
  replica = await runRedis(binary, ['--replicaof', '127.0.0.1', `${master.port}`]);
  sentinels = await runSentinels(binary, master);
  const onStateChange = (status: string) => void changes.push(status);
  gateway = createLimiter({ redisUrl: `${sentinels.url}/2`, patienceMs: 5_000, onStateChange });
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
  await expect.poll(() => promoted.exists(limitKey('default', subject))).toBe(1);

  await master.kill();
  await expect.poll(() => changes).toContain('local');
  // What is admitted meanwhile counts afterwards.
  expect(await gateway.limiter.take(subject, 3)).toMatchObject({ admitted: true });
  // On a busy machine Sentinels take half a minute to trust their clocks again.
  await expect.poll(gateway.status, { timeout: 150_000 }).toBe('redis');
  expect(await promoted.role()).toContain('master');
  expect(await gateway.limiter.take(subject, 3)).toMatchObject({ admitted: true, used: 3 });
  expect(await gateway.limiter.take(subject, 3)).toMatchObject({ admitted: false });
  promoted.disconnect();
});

it('a Sentinel that accepts connections and does not answer is skipped', async () => {
  const silent = createServer(() => {})
    .listen(0, '127.0.0.1')
    .unref();
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const redisUrl = sentinels.url.replace('//', `//127.0.0.1:${port},`);
  const { limiter, status, close } = createLimiter({ redisUrl, patienceMs: 5_000 });
  await expect.poll(status).toBe('redis');
  expect(await limiter.take(randomSubject(), 3)).toMatchObject({ admitted: true, used: 1 });
  close();
});

it('a failover announced during a query for the master does not end the connection for good', async () => {
  const [before, after] = await Promise.all([runRedis(binary), runRedis(binary)]);
  const sentinel = await fakeSentinel(before.port);
  const { status, limiter, close } = createLimiter({ redisUrl: sentinel.url, patienceMs: 5_000 });
  await expect.poll(status).toBe('redis');
  await expect.poll(sentinel.subscribers).toBe(1);
  sentinel.beforeNextAnswer(async () => {
    sentinel.announceFailover(after.port);
    await expect.poll(sentinel.subscribers).toBe(0);
  });
  await before.kill();
  await expect.poll(sentinel.announced).toBe(true);
  await expect.poll(status).toBe('redis');
  expect(await limiter.take(randomSubject(), 3)).toMatchObject({ admitted: true, used: 1 });
  close();
  await Promise.all([sentinel.stop(), before.stop(), after.stop()]);
});

it('a limiter with an unknown master name keeps waiting', async () => {
  const { promise: waiting, resolve: onWaiting } = Promise.withResolvers<Error | undefined>();
  const wrong = createLimiter({ redisUrl: sentinels.url.replace('/portico', '/nobody'), onWaiting });
  await waiting;
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

/** A Sentinel whose answers and announcements the test controls. */
async function fakeSentinel(masterPort: number) {
  let master = masterPort;
  let announced = false;
  let before: () => Promise<void> = async () => {};
  const subscribers = new Set<Socket>();
  const text = (kind: '*' | '>', ...words: string[]) =>
    `${kind}${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('close', () => subscribers.delete(socket));
    socket.on('data', async (data) => {
      for (const command of `${data}`
        .toLowerCase()
        .split(/^\*\d+\r\n/m)
        .slice(1)) {
        if (command.includes('get-master-addr-by-name')) {
          const wait = before;
          before = async () => {};
          await wait();
          socket.write(text('*', '127.0.0.1', `${master}`));
        } else if (command.includes('sentinels')) socket.write('*0\r\n');
        else if (command.includes('subscribe')) {
          subscribers.add(socket);
          socket.write('>3\r\n$9\r\nsubscribe\r\n$14\r\n+switch-master\r\n:1\r\n');
        } else socket.write(command.includes('hello') ? '%1\r\n$5\r\nproto\r\n:3\r\n' : '+OK\r\n');
      }
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `redis+sentinel://127.0.0.1:${(server.address() as AddressInfo).port}/portico`,
    subscribers: () => subscribers.size,
    announced: () => announced,
    beforeNextAnswer(wait: () => Promise<void>) {
      before = wait;
    },
    announceFailover(port: number) {
      const change = `portico 127.0.0.1 ${master} 127.0.0.1 ${port}`;
      master = port;
      announced = true;
      for (const socket of subscribers) socket.write(text('>', 'message', '+switch-master', change));
    },
    async stop() {
      server.close();
      for (const socket of subscribers) socket.destroy();
    },
  };
}
