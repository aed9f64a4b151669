// Test support: PostgreSQL and Redis: given by URL, started from binaries of this machine, or in containers.

import { findBinary } from '#test/support/binaries.ts';
import { composeAnswers, runComposed } from '#test/support/compose-service.ts';
import { withClient } from '#test/support/database-server.ts';
import { until } from '#test/support/ports.ts';
import { type PostgresOptions, runPostgres } from '#test/support/postgres-server.ts';
import { type ClusterOptions, runRedis, runRedisCluster } from '#test/support/redis-server.ts';
import type { Service } from '#test/support/service.ts';

export type { Service } from '#test/support/service.ts';

export interface SharedServices {
  /** A database for creating others; tests do not write to it. */
  postgresUrl: string;
  /** Shared with other tests: use random subjects, and never FLUSHALL. */
  redisUrl: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    services: SharedServices;
  }
}

/** A private Redis without persistence. The caller stops it. */
export async function startRedis(): Promise<Service> {
  const binary = findBinary('redis-server');
  if (binary) return runRedis(binary);
  if (await composeAnswers()) return runComposed('redis');
  throw new Error(missing('Redis 7', 'redis-server', 'REDIS_URL'));
}

/** Three private masters; `url` is a value for REDIS_URL. Needs binaries on this machine. */
export async function startRedisCluster(options: ClusterOptions = {}) {
  const server = findBinary('redis-server');
  const cli = findBinary('redis-cli');
  if (!server || !cli) throw new Error('A Redis Cluster needs redis-server and redis-cli in PATH: install Redis 7.');
  return runRedisCluster(server, cli, options);
}

/** A private PostgreSQL. The caller stops it. */
export async function startPostgres(options: PostgresOptions = {}): Promise<Service> {
  const initdb = findBinary('initdb');
  const postgres = findBinary('postgres');
  if (initdb && postgres) return runPostgres({ initdb, postgres }, options);
  if (Object.keys(options).length > 0)
    throw new Error('This needs PostgreSQL’s programs on this machine: initdb, postgres.');
  if (await composeAnswers()) return runComposed('postgres');
  throw new Error(missing('PostgreSQL 15 or later', 'initdb and postgres', 'DATABASE_URL'));
}

/** A hot standby that follows `primary`. Both need binaries on this machine. */
export function startStandby(primary: Service): Promise<Service> {
  return startPostgres({ standbyOf: primary });
}

/**
 * Resolves once the standby is a primary. Without a statement that waits for it: the replay of the last records may
 * cancel any statement on the standby.
 */
export async function promote({ url }: Service): Promise<void> {
  await withClient(url, (client) => client.query('select pg_promote(wait => false)'));
  const promoted = () =>
    withClient(url, async (client) => {
      const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
      return rows[0]?.standby === false;
    }).catch(() => false);
  await until(promoted, 120_000, () => new Error('the standby has not become a primary'));
}

/** The services that all test files share, and `stop` for those that were started. */
export async function findServices(): Promise<{ services: SharedServices; stop: () => Promise<void> }> {
  const { DATABASE_URL, REDIS_URL } = process.env;
  const started: Service[] = [];
  const stop = async () => {
    await Promise.all(started.map((service) => service.stop()));
  };
  const own = async (start: () => Promise<Service>) => {
    const service = await start();
    started.push(service);
    return service.url;
  };
  try {
    const redisUrl = REDIS_URL || (await own(startRedis));
    const postgresUrl = DATABASE_URL || (await own(startPostgres));
    return { services: { postgresUrl, redisUrl }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function missing(what: string, programs: string, variable: string): string {
  return [
    `The tests need ${what} and found none. One of these is enough:`,
    `- set ${variable} to a server that runs already (existing data are not touched),`,
    `- install ${what}: ${programs} in PATH,`,
    '- start a docker engine with the compose plugin.',
  ].join('\n');
}
