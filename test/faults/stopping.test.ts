// A graceful stop loses no response and no access record; SIGKILL loses at most the records of the last second.

import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { freePort, until } from '#test/support/ports.ts';
import { expectAlerts } from './expect-alerts.ts';
import { inChaos } from './in-chaos.ts';
import { type Load, type Sent, sendOne, startLoad } from './load.ts';
import { makePortfolio, type Portfolio } from './portfolio.ts';
import { type ServeProcess, startServe } from './serve-process.ts';
import { expectTally } from './tally.ts';

const CONCURRENCY = 20;

let created: TestDatabase;
let portfolio: Portfolio;
let serve: ServeProcess | undefined;

beforeAll(async () => {
  created = await createMigratedDatabase();
  portfolio = await makePortfolio(created.url);
});
afterEach(async () => {
  await serve?.end();
});
afterAll(async () => {
  await portfolio.database.close();
  await created.drop();
});

function untilServed(load: Load, count: number): Promise<void> {
  const served = () => load.sent.filter(({ status }) => status === 200).length;
  return until(
    async () => served() > count,
    60_000,
    () => new Error(`${served()} responses`),
  );
}

describe('SIGTERM under load', () => {
  it.each([
    ['over keep-alive connections', true, []],
    ['over a connection for each request', false, []],
    ['over a connection for each request, to workers', false, ['--workers', '2']],
  ])('answers all requests sent before it, %s, saves all records and exits with 0', async (_, keepAlive, words) => {
    const limits = words.length === 0 ? {} : { REDIS_URL: inject('services').redisUrl };
    serve = await startServe({ DATABASE_URL: created.url, ...limits }, ...words);
    const load = startLoad(portfolio.wanted(serve.url), CONCURRENCY, { keepAlive });
    await untilServed(load, 100);
    const signalled = performance.now();
    serve.signal('SIGTERM');
    const code = await serve.exited;
    expect(code, serve.output).toBe(0);
    const sent = await load.stop();
    const before = sent.filter(({ started }) => started < signalled);
    expect(before.length).toBeGreaterThan(100);
    expect(before.filter(({ status }) => status !== 200).map(({ error }) => error?.code ?? error?.message)).toEqual([]);
    const records = await portfolio.records();
    const answered = sent.filter(({ status }) => status !== 0);
    expect(answered.filter(({ headers }) => !records.has(String(headers['x-request-id'])))).toEqual([]);
  });

  it('makes the gateway unready and closes its listener while requests are in flight', async () => {
    serve = await startServe({ DATABASE_URL: created.url });
    const unlock = await lockItems();
    const load = startLoad(portfolio.wanted(serve.url), 2);
    await sleep(300);
    const { url, readiness } = serve;
    serve.signal('SIGTERM');
    // The gateway cannot exit before the lock is released.
    await expect.poll(readiness).toEqual({ status: 503, body: { status: 'stopping' } });
    const connect = () =>
      fetch(url).then(
        () => null,
        (error: Error) => (error.cause as { code?: string }).code,
      );
    await expect.poll(connect).toBe('ECONNREFUSED');
    await unlock();
    await serve.exited;
    await load.stop();
  });
});

it('a second SIGTERM does not change a graceful stop that waits for a blocked request', async () => {
  serve = await startServe({ DATABASE_URL: created.url });
  const unlock = await lockItems();
  const load = startLoad(portfolio.wanted(serve.url), 2);
  await sleep(300);
  serve.signal('SIGTERM');
  await expect.poll(serve.readiness).toMatchObject({ status: 503 });
  serve.signal('SIGTERM');
  expect(await serve.exited, serve.output).toBe(0);
  await unlock();
  await load.stop();
});

/** Locks items against readers until the returned function is called. */
async function lockItems(): Promise<() => Promise<void>> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: locked, resolve: lock } = Promise.withResolvers<void>();
  const transaction = portfolio.database.transaction(async (sql) => {
    await sql.query({ text: 'lock table items in access exclusive mode' });
    lock();
    await released;
  });
  await locked;
  return async () => {
    release();
    await transaction;
  };
}

describe('SIGKILL under load', () => {
  it('keeps every record that is older than a second', async () => {
    serve = await startServe({ DATABASE_URL: created.url });
    const load = startLoad(portfolio.wanted(serve.url), CONCURRENCY);
    await untilServed(load, 100);
    await sleep(1_500);
    const killed = performance.now();
    serve.signal('SIGKILL');
    await serve.exited;
    const sent = await load.stop();
    const records = await portfolio.records();
    const old = sent.filter(({ status, ended }) => status === 200 && ended < killed - 1_000);
    expect(old.length).toBeGreaterThan(100);
    expect(old.filter(({ headers }) => !records.has(String(headers['x-request-id'])))).toEqual([]);
    const late = ({ ended }: Sent) => ended >= killed - 1_000;
    await expectTally('a gateway is killed', sent, portfolio, { unanswered: true, missing: late });
  });

  it('of the primary: workers answer requests on open connections, save all records, and exit', async () => {
    const env = { DATABASE_URL: created.url, REDIS_URL: inject('services').redisUrl, DRAIN_DELAY_MS: '3000' };
    serve = await startServe(env, '--workers', '2');
    const scraped = { url: `${serve.internalUrl}/metrics`, headers: {} };
    const scraper = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await sendOne(scraped, scraper)).toMatchObject({ status: 200 });
    const load = startLoad(portfolio.wanted(serve.url), CONCURRENCY);
    await untilServed(load, 100);
    const killed = performance.now();
    serve.signal('SIGKILL');
    await expect.poll(() => load.sent.some(({ headers }) => headers.connection === 'close')).toBe(true);
    // No process has the metrics of all workers any more.
    expect(await sendOne(scraped, scraper), serve.output).toMatchObject({ status: 500 });
    // Workers inherit its standard output, which is closed once all of them have exited.
    await serve.exited;
    const sent = await load.stop();
    const records = await portfolio.records();
    const answered = sent.filter(({ status }) => status !== 0);
    expect(answered.filter(({ started }) => started > killed)).not.toEqual([]);
    expect(answered.filter(({ headers }) => !records.has(String(headers['x-request-id'])))).toEqual([]);
  });

  if (!inChaos) return;

  it('fires PorticoDown', async () => {
    const ports = { PORT: `${await freePort()}`, INTERNAL_PORT: `${await freePort()}` };
    const first = await startServe({ DATABASE_URL: created.url, ...ports });
    await expectAlerts(
      'a gateway is killed',
      ['PorticoDown'],
      { serve: first, portfolio },
      {
        begin: () => first.signal('SIGKILL'),
        end: async () => {
          serve = await startServe({ DATABASE_URL: created.url, ...ports });
        },
      },
    );
  });
});
