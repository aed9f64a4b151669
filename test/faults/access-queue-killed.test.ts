// Guarantee: with a queue, too, a stop in order loses no record, and a stop without order those of the last second at most.
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { fleetOf } from '#limits/fleet.ts';
import { readCursorKey } from '#repositories/reference.ts';
import { findBinary } from '#test/support/binaries.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { scrape } from '#test/support/metrics.ts';
import { until } from '#test/support/ports.ts';
import { runRedis } from '#test/support/redis-server.ts';
import type { Service } from '#test/support/services.ts';
import { type Load, type Sent, startLoad, withinLimit } from './load.ts';
import { makePortfolio, type Portfolio } from './portfolio.ts';
import { type ServeProcess, startServe } from './serve-process.ts';

const ABREAST = 8;

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
    // What it has answered outlives it, also where its disk is slow to sync.
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
  startLoad(portfolio.wanted(serve.url), ABREAST, { pauseMs: withinLimit(ABREAST) });

const answered = (sent: readonly Sent[]) => sent.filter(({ status }) => status === 200);

const answeredOver = (load: Load, count: number) =>
  until(
    async () => answered(load.sent).length > count,
    60_000,
    () => new Error(`${answered(load.sent).length} answers`),
  );

const idOf = ({ headers }: Sent) => String(headers['x-request-id']);

/** What is not on record, and how many records there are more than there should be. */
async function compare(sent: readonly Sent[]): Promise<{ missing: Sent[]; twice: number }> {
  const rows = await portfolio.database.query<{ request_id: string }>({
    text: 'select request_id from recorded_calls where client_id = $1',
    values: [portfolio.client.id],
  });
  const records = new Set(rows.map(({ request_id: id }) => id));
  return { missing: sent.filter((one) => !records.has(idOf(one))), twice: rows.length - records.size };
}

const untilAllSaved = (sent: readonly Sent[]) => expect.poll(() => compare(sent)).toEqual({ missing: [], twice: 0 });

it('SIGTERM under load loses nothing: what is left goes to the queue, and what the process can save of it is saved', async () => {
  const serve = await start();
  const load = loadOn(serve);
  await answeredOver(load, 100);
  serve.signal('SIGTERM');
  expect(await serve.exited, serve.said).toBe(0);
  const sent = answered(await load.stop());
  expect(await compare(sent)).toEqual({ missing: [], twice: 0 });
  expect(await client.xlen(stream)).toBe(0);
  expect(await client.exists(`${stream}:lease`)).toBe(0);
});

it('SIGTERM while Redis is away loses nothing either', async () => {
  const serve = await start();
  const load = loadOn(serve);
  await answeredOver(load, 50);
  await redis.freeze();
  serve.signal('SIGTERM');
  expect(await serve.exited, serve.said).toBe(0);
  const sent = answered(await load.stop());
  await redis.thaw();
  // What was in the queue is saved by whoever comes next.
  await start();
  await untilAllSaved(sent);
});

it('SIGKILL of the gateway that drains leaves every record older than a second, which the other one saves', async () => {
  const [one, other] = [await start(), await start()];
  const load = loadOn(one);
  await answeredOver(load, 100);
  await sleep(1_500);
  const killed = performance.now();
  one.signal('SIGKILL');
  await one.exited;
  const sent = await load.stop();
  const old = answered(sent).filter(({ ended }) => ended < killed - 1_000);
  expect(old.length).toBeGreaterThan(100);
  await untilAllSaved(old);
  // And then the other one drains what comes to it.
  const next = loadOn(other);
  await answeredOver(next, 20);
  await untilAllSaved(answered(await next.stop()));
});

it('SIGKILL while PostgreSQL takes no records leaves what is in the queue, and it outlives Redis too', async () => {
  const serve = await start();
  const { database } = portfolio;
  await database.query({ text: 'alter table access_calls rename to access_calls_away' });
  const load = loadOn(serve);
  await answeredOver(load, 100);
  await sleep(1_500);
  expect(await scrape(serve.internalUrl)).toMatch(/^portico_access_queue_batches [1-9]/m);
  const killed = performance.now();
  serve.signal('SIGKILL');
  await serve.exited;
  await redis.kill();
  await redis.restart();
  await database.query({ text: 'alter table access_calls_away rename to access_calls' });
  const sent = await load.stop();
  const old = answered(sent).filter(({ ended }) => ended < killed - 1_000);
  expect(old.length).toBeGreaterThan(100);
  expect((await compare(old)).missing.length).toBe(old.length);
  const next = await start();
  await untilAllSaved(old);
  await expect.poll(() => scrape(next.internalUrl)).toMatch(/^portico_access_queue_batches 0$/m);
});

it('SIGKILL while Redis has just frozen leaves every record older than a second', async () => {
  const serve = await start();
  const load = loadOn(serve);
  await answeredOver(load, 100);
  await redis.freeze();
  // Later than what was on its way to Redis is saved directly, sooner than Redis would be given up without a bound of our own.
  await sleep(1_600);
  const killed = performance.now();
  serve.signal('SIGKILL');
  await serve.exited;
  await redis.thaw();
  const old = answered(await load.stop()).filter(({ ended }) => ended < killed - 1_000);
  expect(old.length).toBeGreaterThan(100);
  await start();
  await untilAllSaved(old);
});
