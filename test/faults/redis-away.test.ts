// Redis dies, freezes or is missing at start-up: requests are served as before, or are refused if so configured.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { until } from '#test/support/ports.ts';
import { type Service, startRedis } from '#test/support/services.ts';
import { expectAlerts } from './expect-alerts.ts';
import { inChaos } from './in-chaos.ts';
import { sendOne, startLoad, wellWithinLimit } from './load.ts';
import { expectDataOr503, makePortfolio, type Portfolio } from './portfolio.ts';
import { launchServe, type ServeProcess, startServe } from './serve-process.ts';
import { expectTally } from './tally.ts';

const CONCURRENCY = 16;
/** Shorter than the outage of Redis: a request that waited for it would take longer. */
const AT_MOST_MS = 10_000;
const DEGRADED = { status: 200, body: { status: 'degraded', away: ['redis'] } };
const READY = { status: 200, body: { status: 'ready' } };

let created: TestDatabase;
let redis: Service;
let portfolio: Portfolio;
let serve: ServeProcess;

beforeAll(async () => {
  created = await createMigratedDatabase();
  redis = await startRedis();
});
// A key for each test, since one key's limit might not suffice for all.
beforeEach(async () => {
  portfolio = await makePortfolio(created.url);
});
afterEach(() => portfolio.database.close());
afterAll(async () => {
  await redis.stop();
  await created.drop();
});

/** Starts a gateway that cannot reach Redis. */
async function startWaiting(): Promise<void> {
  serve = await launchServe({ DATABASE_URL: created.url, REDIS_URL: redis.url, LOG_LEVEL: 'warn' });
  const waits = async () => serve.output.includes('not serving until Redis answers');
  await until(waits, 60_000, () => new Error(`the gateway did not report that it waits: ${serve.output}`));
}

async function expectReadiness(wanted: typeof READY): Promise<void> {
  await until(
    async () => JSON.stringify(await serve.readiness()) === JSON.stringify(wanted),
    60_000,
    () => new Error(`/readyz never returned ${JSON.stringify(wanted)}`),
  );
}

describe('while Redis is unavailable to a running gateway', () => {
  beforeAll(async () => {
    serve = await startServe({ DATABASE_URL: created.url, REDIS_URL: redis.url });
  });
  // The previous test made Redis unavailable.
  beforeEach(() => expectReadiness(READY));
  afterAll(() => serve?.end());

  it.each([
    ['dies and comes back empty', () => redis.kill(), () => redis.restart()],
    ['freezes', () => redis.freeze(), () => redis.thaw()],
  ])('no request fails: Redis %s', async (name, away, back) => {
    const load = startLoad(portfolio.wanted(serve.url), CONCURRENCY, { pauseMs: wellWithinLimit(CONCURRENCY) });
    await sleep(500);
    await away();
    await expectReadiness(DEGRADED);
    const { text } = await sendOne({ url: `${serve.internalUrl}/metrics`, headers: {} });
    expect(text).toMatch(/portico_limiter_state\{state="local"\} 1/);
    await sleep(AT_MOST_MS + 1_000);
    await back();
    await expectReadiness(READY);
    await sleep(500);
    const sent = await load.stop();
    const counts = expectDataOr503(sent, AT_MOST_MS);
    expect(Object.keys(counts)).toEqual(['200']);
    await expectTally(`Redis ${name}`, sent, portfolio);
  });

  it.each([
    { name: 'dies and comes back empty', away: () => redis.kill(), back: () => redis.restart() },
    ...(inChaos ? [{ name: 'freezes', away: () => redis.freeze(), back: () => redis.thaw() }] : []),
  ])('PorticoWithoutRedis fires: Redis $name', async ({ name, away, back }) => {
    const fault = { begin: away, end: back };
    await expectAlerts(`Redis ${name}`, ['PorticoWithoutRedis'], { serve, portfolio }, fault);
  });
});

describe('while Redis is unavailable', () => {
  afterEach(() => serve.end());

  it('a starting gateway reports that it waits for Redis, and serves once Redis responds', async () => {
    await redis.kill();
    await startWaiting();
    expect((await serve.readiness()).status).toBe(0);
    await redis.restart();
    await expectReadiness(READY);
    expect((await sendOne(portfolio.wanted(serve.url)(0))).status).toBe(200);
  });

  it('SIGTERM ends a gateway that waits for Redis', async () => {
    await redis.kill();
    await startWaiting();
    serve.signal('SIGTERM');
    expect(await serve.exited).toBe(143);
    await redis.restart();
  });

  it('RATE_LIMIT_ON_REDIS_FAILURE=deny refuses requests with 503 and the headers of the limiter', async () => {
    serve = await startServe({
      DATABASE_URL: created.url,
      REDIS_URL: redis.url,
      RATE_LIMIT_ON_REDIS_FAILURE: 'deny',
      // A late response of Redis, as on a busy machine, is refused as well.
      REDIS_PATIENCE_MS: '10000',
    });
    expect((await sendOne(portfolio.wanted(serve.url)(0))).status).toBe(200);
    await redis.kill();
    await expectReadiness(DEGRADED);
    const load = startLoad(portfolio.wanted(serve.url), CONCURRENCY);
    await sleep(300);
    const counts = expectDataOr503(await load.stop(), AT_MOST_MS);
    expect(Object.keys(counts)).toEqual(['503']);
    await redis.restart();
    await expectReadiness(READY);
    expect((await sendOne(portfolio.wanted(serve.url)(0))).status).toBe(200);
  });
});
