// Guarantee: with a queue, too, SIGTERM loses no access record, and SIGKILL at most those of the last second.
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { fleetOf } from '#limits/fleet.ts';
import { readCursorKey } from '#repositories/reference.ts';
import { findBinary } from '#test/support/binaries.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { sampleOf, scrape } from '#test/support/metrics.ts';
import { until } from '#test/support/ports.ts';
import { runRedis } from '#test/support/redis-server.ts';
import type { Service } from '#test/support/services.ts';
import { type Load, type Sent, startLoad, withinLimit } from './load.ts';
import { oldResponses } from './old-responses.ts';
import { makePortfolio, type Portfolio } from './portfolio.ts';
import { type ServeProcess, startServe } from './serve-process.ts';

const CONCURRENCY = 8;

let created: TestDatabase;
let redis: Service;
let client: Redis;
let portfolio: Portfolio;
let env: Record<string, string>;
let stream: string;
let serves: ServeProcess[];

beforeAll(async () => {
  created = await createMigratedDatabase();
  redis = await runRedis(findBinary('redis-server') ?? 'redis-server', [
    ...['--appendonly', 'yes'],
    // What it has acknowledged survives its death, even if its disk is slow to sync.
    ...['--appendfsync', 'always'],
  ]);
  client = new Redis(redis.url).on('error', () => {});
  env = { DATABASE_URL: created.url, ACCESS_QUEUE_URL: redis.url, LOG_LEVEL: 'warn' };
});
beforeEach(async () => {
  serves = [];
  portfolio = await makePortfolio(created.url);
  stream = `portico:access:{${fleetOf(await readCursorKey(portfolio.database))}}`;
});
afterEach(async () => {
  await Promise.all(serves.map((serve) => serve.end()));
  await portfolio.database.close();
});
afterAll(async () => {
  client?.disconnect();
  await redis?.stop();
  await created?.drop();
});

async function start(): Promise<ServeProcess> {
  const serve = await startServe(env);
  serves.push(serve);
  return serve;
}

const loadOn = (serve: ServeProcess) =>
  startLoad(portfolio.wanted(serve.url), CONCURRENCY, { pauseMs: withinLimit(CONCURRENCY) });

const served = (sent: readonly Sent[]) => sent.filter(({ status }) => status === 200);

const untilServed = (load: Load, count: number) =>
  until(
    async () => served(load.sent).length > count,
    60_000,
    () => new Error(`${served(load.sent).length} responses`),
  );

const idOf = ({ headers }: Sent) => String(headers['x-request-id']);

/** Requests without a record, and the number of duplicate records. */
async function compare(sent: readonly Sent[]): Promise<{ missing: Sent[]; twice: number }> {
  const rows = await portfolio.database.query<{ request_id: string }>({
    text: 'select request_id from recorded_calls where client_id = $1',
    values: [portfolio.client.id],
  });
  const records = new Set(rows.map(({ request_id: id }) => id));
  return { missing: sent.filter((one) => !records.has(idOf(one))), twice: rows.length - records.size };
}

/** Waits until each record is saved or in the queue. */
const untilNoneWaits = ({ internalUrl }: ServeProcess) =>
  expect.poll(async () => sampleOf(await scrape(internalUrl), 'portico_access_records_waiting')).toBe(0);

const untilAllSaved = (sent: readonly Sent[]) => expect.poll(() => compare(sent)).toEqual({ missing: [], twice: 0 });

it('SIGTERM under load saves all records and leaves an empty queue without a lease', async () => {
  const serve = await start();
  const load = loadOn(serve);
  await untilServed(load, 100);
  const signalled = performance.now();
  serve.signal('SIGTERM');
  expect(await serve.exited, serve.output).toBe(0);
  const inGrace = performance.now() - signalled < 3_000;
  const sent = served(await load.stop());
  if (!inGrace) {
    // On a busy machine the gateway may have left records in the queue, which another one saves.
    await start();
    return untilAllSaved(sent);
  }
  expect(await compare(sent)).toEqual({ missing: [], twice: 0 });
  expect(await client.xlen(stream)).toBe(0);
  expect(await client.exists(`${stream}:lease`)).toBe(0);
});

it('SIGTERM while Redis is frozen loses no record', async () => {
  const serve = await start();
  const load = loadOn(serve);
  await untilServed(load, 50);
  await redis.freeze();
  serve.signal('SIGTERM');
  expect(await serve.exited, serve.output).toBe(0);
  const sent = served(await load.stop());
  await redis.thaw();
  // The next gateway saves what was in the queue.
  await start();
  await untilAllSaved(sent);
});

it('records older than a second survive SIGKILL of a gateway, and the other one saves them', async () => {
  const [first, second] = [await start(), await start()];
  const load = loadOn(first);
  const old = await oldResponses(load, first.internalUrl);
  first.signal('SIGKILL');
  await first.exited;
  await load.stop();
  await untilAllSaved(old);
  // The other one also saves the records of its own calls.
  const next = loadOn(second);
  await untilServed(next, 20);
  await untilAllSaved(served(await next.stop()));
});

it('records in the queue survive SIGKILL and the death of Redis while PostgreSQL accepts none', async () => {
  const serve = await start();
  const { database } = portfolio;
  await database.query({ text: 'alter table access_calls rename to access_calls_away' });
  const load = loadOn(serve);
  await untilServed(load, 100);
  const sent = served(await load.stop());
  await untilNoneWaits(serve);
  await expect.poll(() => scrape(serve.internalUrl)).toMatch(/^portico_access_queue_batches [1-9]/m);
  serve.signal('SIGKILL');
  await serve.exited;
  await redis.kill();
  await redis.restart();
  await database.query({ text: 'alter table access_calls_away rename to access_calls' });
  expect((await compare(sent)).missing.length).toBe(sent.length);
  const next = await start();
  await untilAllSaved(sent);
  await expect.poll(() => scrape(next.internalUrl)).toMatch(/^portico_access_queue_batches 0$/m);
});

it('records that the gateway no longer holds survive SIGKILL just after Redis froze', async () => {
  const serve = await start();
  const load = loadOn(serve);
  await untilServed(load, 100);
  await redis.freeze();
  const sent = served(await load.stop());
  // Batches without an acknowledgement are saved directly.
  await untilNoneWaits(serve);
  serve.signal('SIGKILL');
  await serve.exited;
  await redis.thaw();
  await start();
  await untilAllSaved(sent);
});
