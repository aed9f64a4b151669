// Guarantee: a fault fires its alerts and no others, by the metrics of a gateway that has it under load.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { alertsAfter, type Phase } from '#test/support/alerting.ts';
import { sampleOf, scrape } from '#test/support/metrics.ts';
import { type Service, startPostgres, startRedis } from '#test/support/services.ts';
import { type Load, startLoad } from './load.ts';
import { makePortfolio, type Portfolio } from './portfolio.ts';
import { type ServeProcess, startServe } from './serve-process.ts';

let postgres: Service;
let redis: Service;
let portfolio: Portfolio;
let serve: ServeProcess;
let load: Load;

beforeAll(async () => {
  [postgres, redis] = [await startPostgres(), await startRedis()];
  portfolio = await makePortfolio(postgres.url);
  serve = await startServe({ DATABASE_URL: postgres.url, REDIS_URL: redis.url });
  load = startLoad(portfolio.wanted(serve.url), 4);
});
afterAll(async () => {
  await load.stop();
  await serve.end();
  await portfolio.database.close();
  await Promise.all([postgres.stop(), redis.stop()]);
});

const look = () => scrape(serve.internalUrl);

/** Ten minutes of what the gateway does now, once it exposes `value` of a metric. */
async function phase(metric: string, labels: Record<string, string>, value: number): Promise<Phase> {
  await expect.poll(async () => sampleOf(await look(), metric, labels), { timeout: 90_000 }).toBe(value);
  const early = await look();
  const answered = load.sent.length;
  await expect.poll(() => load.sent.length, { timeout: 90_000 }).toBeGreaterThan(answered + 40);
  await sleep(1_000);
  return { early, late: await look(), minutes: 10 };
}

it('Redis that is away fires its alert alone, PostgreSQL its two, and none goes on once they are back', async () => {
  const healthy = await phase('portico_limiter_state', { state: 'redis' }, 1);
  await redis.kill();
  const withoutRedis = await phase('portico_limiter_state', { state: 'local' }, 1);
  await redis.restart();
  const mended = await phase('portico_limiter_state', { state: 'redis' }, 1);
  await postgres.kill();
  const withoutPostgres = await phase('portico_database_usable', {}, 0);
  await postgres.restart();
  const again = await phase('portico_database_usable', {}, 1);
  expect(alertsAfter([healthy, withoutRedis, mended, withoutPostgres, again])).toEqual([
    [],
    ['PorticoWithoutRedis'],
    [],
    ['PorticoDatabaseAway', 'PorticoRequestsFail'],
    [],
  ]);
});
