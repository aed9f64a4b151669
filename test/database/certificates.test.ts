// TLS connections to PostgreSQL and Redis: certificates of the configured authority are accepted; those of another
// authority or for another name are refused, and `serve` and `doctor` say why.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '#database/database.ts';
import { createLimiter } from '#limits/create-limiter.ts';
import { openRedis } from '#limits/redis-connection.ts';
import { readConfig } from '#src/config.ts';
import { runHere } from '#test/cli/portico.ts';
import { findBinary } from '#test/support/binaries.ts';
import { type Authority, makeAuthority } from '#test/support/certificates.ts';
import { startMigratedPostgres } from '#test/support/migrated-postgres.ts';
import { freePort } from '#test/support/ports.ts';
import { runRedis } from '#test/support/redis-server.ts';
import type { Service } from '#test/support/services.ts';

let ours: Authority;
let another: Authority;
let postgres: Service;
let elsewhere: Service;
let redis: Service;
let tlsPort: number;
beforeAll(async () => {
  [ours, another] = await Promise.all([makeAuthority('Ours'), makeAuthority('Another')]);
  const here = await ours.issue('127.0.0.1', 'localhost');
  const away = await ours.issue('db.portico.example');
  const ssl = ({ cert, key }: typeof here) => ({ ssl: 'on', ssl_cert_file: cert, ssl_key_file: key });
  [postgres, elsewhere] = await Promise.all([
    startMigratedPostgres({ settings: ssl(here) }),
    startMigratedPostgres({ settings: ssl(away) }),
  ]);
  tlsPort = await freePort();
  const files = ['--tls-cert-file', here.cert, '--tls-key-file', here.key, '--tls-ca-cert-file', ours.ca];
  const tls = ['--tls-port', `${tlsPort}`, '--tls-auth-clients', 'no', ...files];
  redis = await runRedis(findBinary('redis-server') ?? 'redis-server', tls);
});
afterAll(async () => {
  await Promise.all([redis?.stop(), postgres?.stop(), elsewhere?.stop()]);
  ours?.remove();
  another?.remove();
});

const verified = (server: Service, { ca }: Authority) => `${server.url}?sslmode=verify-full&sslrootcert=${ca}`;

async function isEncrypted(url: string): Promise<unknown> {
  const database = await openDatabase({ url });
  try {
    return (await database.query({ text: 'select ssl from pg_stat_ssl where pid = pg_backend_pid()' }))[0]?.ssl;
  } finally {
    await database.close();
  }
}

describe('PostgreSQL', () => {
  it('with a certificate of the authority in the URL is used, encrypted', async () => {
    expect(await isEncrypted(verified(postgres, ours))).toBe(true);
    expect(await isEncrypted(postgres.url)).toBe(false);
    const migrated = await runHere({ DATABASE_URL: verified(postgres, ours) }, 'migrate');
    expect([migrated.code, migrated.stderr]).toEqual([0, '']);
  });

  it.each<[string, () => string, RegExp]>([
    ['with a certificate of another authority', () => verified(postgres, another), /certificate is not accepted/],
    ['without an authority in the URL', () => `${postgres.url}?sslmode=verify-full`, /certificate is not accepted/],
    ['with a certificate for another name', () => verified(elsewhere, ours), /certificate is not accepted: .*altnames/],
    [
      'with a missing authority file',
      () => `${postgres.url}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`,
      /\/nowhere\/ca\.pem/,
    ],
  ])('%s is refused, and serve and doctor say so', async (_what, url, reason) => {
    const served = await runHere({ DATABASE_URL: url() }, 'serve');
    expect(served.code).toBe(1);
    expect(served.stderr).toMatch(reason);
    expect(served.stderr).not.toContain('    at ');
    const { code, stdout } = await runHere({ DATABASE_URL: url() }, 'doctor', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout).findings).toContainEqual(
      expect.objectContaining({ check: 'database.connection', state: 'wrong', found: expect.stringMatching(reason) }),
    );
  });
});

describe('Redis', () => {
  const url = () => `rediss://127.0.0.1:${tlsPort}`;
  const statusWith = async (redisUrl: string, redisCa: string | undefined) => {
    const { promise: waiting, resolve: onWaiting } = Promise.withResolvers<Error | undefined>();
    const limits = createLimiter({ redisUrl, redisCa, onWaiting });
    await Promise.race([limits.ready, waiting]);
    const status = limits.status();
    limits.close();
    return status;
  };
  const pem = (file: string) => readConfig({ REDIS_URL: url(), REDIS_CA: file }).redisCa;

  it('with a certificate of the authority in REDIS_CA is used', async () => {
    expect(await statusWith(url(), pem(ours.ca))).toBe('redis');
    expect(await statusWith(`rediss://localhost:${tlsPort}`, pem(ours.ca))).toBe('redis');
  });

  it('with a certificate of another authority is not used, and doctor says why', async () => {
    for (const ca of [pem(another.ca), undefined]) expect(await statusWith(url(), ca)).toBe('local');
    const env = { DATABASE_URL: verified(postgres, ours), REDIS_URL: url() };
    const findings = async (file: string) =>
      JSON.parse((await runHere({ ...env, REDIS_CA: file }, 'doctor', '--json')).stdout).findings;
    expect(await findings(another.ca)).toContainEqual(
      expect.objectContaining({
        ...{ check: 'redis.connection', state: 'wrong' },
        found: expect.stringMatching(/^Redis does not answer: its certificate is not accepted/),
      }),
    );
    expect(await findings(ours.ca)).toContainEqual(expect.objectContaining({ check: 'redis.connection', state: 'ok' }));
  });

  it('that fails during the handshake does not crash the process by its later errors', async () => {
    const connection = openRedis(url(), pem(another.ca)) as Redis;
    connection.on('error', () => {});
    // It lasts some turns of the event loop, which a poll in intervals may miss.
    while (connection.stream?.connecting !== true) await nextTurn();
    const { stream } = connection;
    connection.disconnect();
    for (let nth = 1; nth <= 3; nth++) stream.emit('error', new Error(`TLS alert ${nth}`));
    await new Promise((resolve) => stream.once('close', resolve));
    stream.emit('error', new Error('a late TLS alert'));
  });

  it('with an unusable REDIS_CA is a fault of the configuration', async () => {
    const faults = async (env: Record<string, string>) => (await runHere(env, 'config')).stderr;
    expect(await faults({ REDIS_URL: url(), REDIS_CA: '/nowhere/ca.pem' })).toMatch(/REDIS_CA: .*\/nowhere\/ca\.pem/);
    const { key } = await ours.issue('127.0.0.1');
    expect(await faults({ REDIS_URL: url(), REDIS_CA: key })).toContain('contains no certificate');
    expect(await faults({ REDIS_URL: 'redis://127.0.0.1', REDIS_CA: ours.ca })).toContain(
      'REDIS_CA needs a REDIS_URL or ACCESS_QUEUE_URL with rediss',
    );
  });
});
