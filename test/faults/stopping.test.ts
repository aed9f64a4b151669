// A stop in order loses no answer and no record; a stop without order loses at most the last second of records.

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

const ABREAST = 20;

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

function answeredOver(load: Load, count: number): Promise<void> {
  const answered = () => load.sent.filter(({ status }) => status === 200).length;
  return until(
    async () => answered() > count,
    60_000,
    () => new Error(`${answered()} answers`),
  );
}

describe('SIGTERM under load', () => {
  it.each([
    ['over kept connections', true, []],
    ['over a connection for each request', false, []],
    ['over a connection for each request, to workers', false, ['--workers', '2']],
  ])('answers all that was sent before it, %s, keeps all records and exits 0', async (_, keepAlive, words) => {
    const limits = words.length === 0 ? {} : { REDIS_URL: inject('services').redisUrl };
    serve = await startServe({ DATABASE_URL: created.url, ...limits }, ...words);
    const load = startLoad(portfolio.wanted(serve.url), ABREAST, { keepAlive });
    await answeredOver(load, 100);
    const told = performance.now();
    serve.signal('SIGTERM');
    const code = await serve.exited;
    expect(code, serve.said).toBe(0);
    const sent = await load.stop();
    const before = sent.filter(({ started }) => started < told);
    expect(before.length).toBeGreaterThan(100);
    expect(before.filter(({ status }) => status !== 200).map(({ error }) => error?.code ?? error?.message)).toEqual([]);
    const records = await portfolio.records();
    const answered = sent.filter(({ status }) => status !== 0);
    expect(answered.filter(({ headers }) => !records.has(String(headers['x-request-id'])))).toEqual([]);
  });

  it('says that it is not ready while it stops, and takes no new connection', async () => {
    serve = await startServe({ DATABASE_URL: created.url });
    const lock = await holdItems();
    const load = startLoad(portfolio.wanted(serve.url), 2);
    await sleep(300);
    const { url, readiness } = serve;
    serve.signal('SIGTERM');
    // It cannot end before the lock does.
    await expect.poll(readiness).toEqual({ status: 503, body: { status: 'stopping' } });
    const connect = () =>
      fetch(url).then(
        () => null,
        (error: Error) => (error.cause as { code?: string }).code,
      );
    await expect.poll(connect).toBe('ECONNREFUSED');
    await lock();
    await serve.exited;
    await load.stop();
  });
});

it('SIGTERM ends it in order too where a request never gets its answer, and where it is sent again', async () => {
  serve = await startServe({ DATABASE_URL: created.url });
  const lock = await holdItems();
  const load = startLoad(portfolio.wanted(serve.url), 2);
  await sleep(300);
  serve.signal('SIGTERM');
  await expect.poll(serve.readiness).toMatchObject({ status: 503 });
  serve.signal('SIGTERM');
  expect(await serve.exited, serve.said).toBe(0);
  await lock();
  await load.stop();
});

/** Makes readers of items wait until the returned function is called. */
async function holdItems(): Promise<() => Promise<void>> {
  const { promise: told, resolve: letGo } = Promise.withResolvers<void>();
  const { promise: held, resolve: holding } = Promise.withResolvers<void>();
  const over = portfolio.database.transaction(async (sql) => {
    await sql.query({ text: 'lock table items in access exclusive mode' });
    holding();
    await told;
  });
  await held;
  return async () => {
    letGo();
    await over;
  };
}

describe('SIGKILL under load', () => {
  it('leaves every record that is older than a second', async () => {
    serve = await startServe({ DATABASE_URL: created.url });
    const load = startLoad(portfolio.wanted(serve.url), ABREAST);
    await answeredOver(load, 100);
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

  it('of the primary: workers finish what comes over kept connections, scrapes too, keep all records, and end', async () => {
    const env = { DATABASE_URL: created.url, REDIS_URL: inject('services').redisUrl, DRAIN_DELAY_MS: '3000' };
    serve = await startServe(env, '--workers', '2');
    const scraped = { url: `${serve.internalUrl}/metrics`, headers: {} };
    const scraper = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await sendOne(scraped, scraper)).toMatchObject({ status: 200 });
    const load = startLoad(portfolio.wanted(serve.url), ABREAST);
    await answeredOver(load, 100);
    const killed = performance.now();
    serve.signal('SIGKILL');
    await expect.poll(() => load.sent.some(({ headers }) => headers.connection === 'close')).toBe(true);
    // Nobody knows the metrics of all workers any more.
    expect(await sendOne(scraped, scraper), serve.said).toMatchObject({ status: 500 });
    // Workers hold its standard output: it is closed once all of them have ended.
    await serve.exited;
    const sent = await load.stop();
    const records = await portfolio.records();
    const answered = sent.filter(({ status }) => status !== 0);
    expect(answered.filter(({ started }) => started > killed)).not.toEqual([]);
    expect(answered.filter(({ headers }) => !records.has(String(headers['x-request-id'])))).toEqual([]);
  });

  if (!inChaos) return;

  it('is what operations hear of', async () => {
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
