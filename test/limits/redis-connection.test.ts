// Connections to Redis by REDIS_URL: database and user, TLS, Clusters, and batched writes.

import { once } from 'node:events';
import { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createLimiter } from '#limits/create-limiter.ts';
import { openRedis } from '#limits/redis-connection.ts';
import { limitKey } from '#limits/subjects.ts';
import { randomSubject } from '#test/limits/rigs.ts';
import { type Service, startRedis } from '#test/support/services.ts';

let redis: Service;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis?.stop());

/** The connection that `openRedis` makes for a URL; no server listens there. */
function opened(url: string): Redis | Cluster {
  const connection = openRedis(url);
  connection.on('error', () => {});
  connection.disconnect();
  return connection;
}

describe('REDIS_URL', () => {
  it('with user, password and database number reaches that database', async () => {
    const admin = new Redis(redis.url);
    await admin.acl('SETUSER', 'limits', 'on', '>s3cr€t', '~portico:*', '+@all');
    const url = `redis://limits:${encodeURIComponent('s3cr€t')}@127.0.0.1:${redis.port}/3`;
    const handle = createLimiter({ redisUrl: url });
    await handle.ready;
    expect(handle.status()).toBe('redis');
    const subject = randomSubject();
    await handle.limiter.take(subject, 10);
    await admin.select(3);
    expect(await admin.exists(limitKey('default', subject))).toBe(1);
    handle.close();
    admin.disconnect();
  });

  it('with a wrong password keeps the limiter waiting, and the cause is reported', async () => {
    const redisUrl = `redis://limits:wrong@127.0.0.1:${redis.port}`;
    const { promise: waiting, resolve: onWaiting } = Promise.withResolvers<Error | undefined>();
    const handle = createLimiter({ redisUrl, onWaiting });
    expect((await waiting)?.message).toContain('WRONGPASS');
    expect(handle.status()).toBe('local');
    handle.close();
  });

  it('with rediss is encrypted', () => {
    expect((opened('rediss://127.0.0.1:1') as Redis).options.tls).toBeTruthy();
    expect((opened('redis://127.0.0.1:1') as Redis).options.tls).toBeFalsy();
  });

  it.each(['rediss://u:p@127.0.0.1:1,rediss://127.0.0.1:2', 'rediss://u:p@127.0.0.1:1, 127.0.0.1:2'])(
    'with several nodes is a Cluster with the settings of the first: %s',
    (url) => {
      const cluster = opened(url);
      expect(cluster).toBeInstanceOf(Cluster);
      expect((cluster as Cluster).options.redisOptions).toMatchObject({ username: 'u', password: 'p', tls: {} });
    },
  );

  it('with a comma after a single node is a Cluster too', () => {
    expect(opened('redis://127.0.0.1:1,')).toBeInstanceOf(Cluster);
  });

  it('that is not a URL is refused at once', () => {
    expect(() => openRedis('localhost')).toThrow(TypeError);
  });
});

it('commands of one turn of the event loop are sent in one write', async () => {
  const connection = openRedis(redis.url) as Redis;
  await once(connection, 'ready');
  const { stream } = connection;
  const writes = [vi.spyOn(stream, '_write'), vi.spyOn(stream, '_writev')];
  const written = () => writes.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  const values = Array.from({ length: 20 }, (_, number) => `${number}`);
  expect(await Promise.all(values.map((value) => connection.echo(value)))).toEqual(values);
  expect(written()).toBe(1);
  expect(await connection.echo('later')).toBe('later');
  expect(written()).toBe(2);
  connection.disconnect();
});
