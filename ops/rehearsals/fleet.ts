// The fleet for rehearsals: three gateways behind HAProxy, a primary with a replica, and a Redis Cluster of six nodes,
// under load.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { type Load, type Sent, startLoad, withinLimit } from '#test/faults/load.ts';
import { launchServeOf, type ServeProcess } from '#test/faults/serve-process.ts';
import { expectTally, type Tally } from '#test/faults/tally.ts';
import { CHILD_ENVIRONMENT } from '#test/support/child-environment.ts';
import { withClient } from '#test/support/database-server.ts';
import { startMigratedPostgres } from '#test/support/migrated-postgres.ts';
import { freePort, until } from '#test/support/ports.ts';
import { type Service, startPostgres, startRedisCluster, startStandby } from '#test/support/services.ts';
import { type Balancer, type Place, startBalancer } from './balancer.ts';
import { fillPortfolio, type RehearsedPortfolio } from './portfolio.ts';

/** Root of the present version of the program. */
export const HERE = fileURLToPath(new URL('../../', import.meta.url));
const GATEWAYS = 3;
const CONCURRENCY = 12;
const TIMEOUT_MS = 240_000;

export interface Gateway {
  name: string;
  serve: ServeProcess;
  env: Record<string, string>;
}

export interface Fleet {
  primary: Service;
  standby: Service;
  redis: Awaited<ReturnType<typeof startRedisCluster>>;
  gateways: Gateway[];
  balancer: Balancer;
  portfolio: RehearsedPortfolio;
  load: Load;
  /** Paths of the gateways' revocation journals. */
  journals: string[];
  /** Sets the database for commands, and for gateways that are started from now on. */
  moveTo(databaseUrl: string): void;
  /** Runs a command of the command line; returns its standard output. Throws if it fails. */
  portico(...words: string[]): Promise<string>;
  /** Waits for this many more responses with status 200. */
  served(count?: number): Promise<void>;
  /**
   * Starts the gateway with this number from the program in `tree`, and waits until the balancer sends requests to it.
   */
  start(index: number, tree?: string): Promise<void>;
  /** Stops the gateway gracefully, and waits until it has exited. */
  stop(index: number): Promise<void>;
  /** Waits until all gateways are ready and serve again. */
  recovered(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

interface FleetOptions {
  /** Root of the program that the gateways run, and whose migrations the database has. */
  tree?: string;
  /** Settings of the primary. */
  settings?: Record<string, string>;
  /** Whether DATABASE_URL names only the primary, for versions that support a single host. */
  primaryOnly?: boolean;
}

export async function startFleet(options: FleetOptions = {}): Promise<Fleet> {
  const stack = new AsyncDisposableStack();
  try {
    return await build(stack, options);
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function build(
  stack: AsyncDisposableStack,
  { tree = HERE, settings = {}, primaryOnly = false }: FleetOptions,
): Promise<Fleet> {
  const own = <One extends { stop(): Promise<void> }>(one: One): One => {
    stack.defer(() => one.stop());
    return one;
  };
  const directory = mkdtempSync(join(tmpdir(), 'portico-rehearsal-'));
  stack.defer(() => rmSync(directory, { recursive: true }));
  const primary = own(await (tree === HERE ? startMigratedPostgres({ settings }) : startPostgres({ settings })));
  await confirmCommits(primary);
  const standby = own(await startStandby(primary));
  const redis = own(await startRedisCluster({ replicas: 1, nodeTimeoutMs: 2_000 }));
  const hosts = primaryOnly ? [primary] : [primary, standby];
  const databaseUrl = `postgres://portico@${hosts.map(({ port }) => `127.0.0.1:${port}`).join(',')}/postgres`;
  const portfolio = await fillPortfolio(tree, databaseUrl);
  await untilConfirmed(primary);

  const common = { DATABASE_URL: databaseUrl, DATABASE_REPLICA_URLS: standby.url, REDIS_URL: redis.url };
  const places: Place[] = [];
  while (places.length < GATEWAYS) places.push({ PORT: `${await freePort()}`, INTERNAL_PORT: `${await freePort()}` });
  const journals = places.map((_, index) => join(directory, `journal-${index + 1}`));
  const balancer = own(await startBalancer(places));
  const gateways: Gateway[] = [];
  stack.defer(async () => {
    for (const { serve } of gateways) await serve.end();
  });

  const start = async (index: number, of = tree) => {
    const name = `gateway-${index + 1}`;
    const own = { TRUST_PROXY: '127.0.0.1', DRAIN_DELAY_MS: '3000', DATABASE_CONNECTIONS: '5' };
    const env = { ...common, ...own, ...places[index], REVOCATION_JOURNAL: journals[index] ?? '' };
    const serve = await launchServeOf(of, env);
    gateways[index] = { name, serve, env };
    await serve.ready();
    const inRotation = async () => (await balancer.ready()).includes(name);
    await until(inRotation, TIMEOUT_MS, () => new Error(`the balancer sends no requests to ${name}`));
  };
  for (let index = 0; index < GATEWAYS; index++) await start(index);
  const load = startLoad(portfolio.wanted(balancer.url), CONCURRENCY, { pauseMs: withinLimit(CONCURRENCY) });
  stack.defer(async () => {
    await load.stop();
  });

  const served = (count = 60) => {
    const soFar = () => load.sent.filter(({ status }) => status === 200).length;
    const wanted = soFar() + count;
    const failure = () => new Error(`nothing is served:\n${gateways.map(({ serve }) => serve.output).join('\n')}`);
    return until(async () => soFar() >= wanted, TIMEOUT_MS, failure);
  };
  await served();
  return {
    ...{ primary, standby, redis, gateways, balancer, portfolio, load, journals, served, start },
    moveTo(url) {
      common.DATABASE_URL = url;
      portfolio.databaseUrl = url;
    },
    portico: (...words) => runPortico(HERE, { ...common, REVOCATION_JOURNAL: journals[0] ?? '' }, ...words),
    async stop(index) {
      const serve = gateways[index]?.serve;
      serve?.signal('SIGTERM');
      expect(await serve?.exited, serve?.output).toBe(0);
    },
    async recovered() {
      const all = async () => {
        const states = await Promise.all(gateways.map(({ serve }) => serve.readiness()));
        return states.every(({ body }) => body.status === 'ready') && (await balancer.ready()).length === GATEWAYS;
      };
      await until(all, TIMEOUT_MS, () => new Error('not all gateways are ready again'));
      await served(300);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Runs a command of the program in `tree`. */
export async function runPortico(tree: string, env: Record<string, string>, ...words: string[]): Promise<string> {
  const options = { cwd: tree, env: { ...CHILD_ENVIRONMENT, ...env } };
  return (await promisify(execFile)(process.execPath, ['src/main.ts', ...words], options)).stdout;
}

export const sql = (server: Service, text: string) => withClient(server.url, (client) => client.query(text));

/**
 * Makes commits wait for a standby, so that nothing is lost with the primary. In postgresql.conf, as by an operator:
 * copies of the server have the setting too, and `alter system reset` does not end it.
 */
async function confirmCommits(primary: Service): Promise<void> {
  // A server's working directory is that of its data.
  await sql(primary, `copy (select 'synchronous_standby_names = ''*''') to program 'cat >> postgresql.conf'`);
  await sql(primary, 'select pg_reload_conf()');
}

/** Lets commits go on without a standby. */
export async function commitAlone(server: Service): Promise<void> {
  await sql(server, `alter system set synchronous_standby_names = ''`);
  await sql(server, 'select pg_reload_conf()');
}

async function untilConfirmed(primary: Service): Promise<void> {
  const synchronous = async () =>
    (await sql(primary, `select from pg_stat_replication where sync_state = 'sync'`)).rowCount === 1;
  await until(synchronous, TIMEOUT_MS, () => new Error('the standby does not follow'));
}

/** For a planned step: every request was served, with the same data, and is recorded. */
export async function expectNothingLost(step: string, fleet: Fleet): Promise<void> {
  const sent = await fleet.load.stop();
  const tally = await expectTally(step, sent, fleet.portfolio);
  const failed = sent.filter(({ status }) => status !== 200);
  const details = failed.map(({ started, status, headers, text }) => ({ started, status, headers, text }));
  expect(details, `${step}:\n${fleet.gateways.map(({ serve }) => serve.output).join('\n')}`).toEqual([]);
  expect({ step, refused: tally.refused, unanswered: tally.unanswered }).toEqual({ step, refused: 0, unanswered: 0 });
  expect(tally.served).toBe(tally.sent);
}

/** For a failure: no response was wrong, and no record is missing except those that `missing` names. */
export async function expectNoOtherLoss(
  fault: string,
  fleet: Fleet,
  options: { unanswered?: boolean; missing?: (one: Sent) => boolean } = {},
): Promise<Tally> {
  return expectTally(fault, await fleet.load.stop(), fleet.portfolio, options);
}
