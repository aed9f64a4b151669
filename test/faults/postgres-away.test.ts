// PostgreSQL loses connections, dies or freezes under load: right data or 503, in time, and it mends by itself.

import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '#test/support/ports.ts';
import { type Service, startPostgres } from '#test/support/services.ts';
import { type Load, type Sent, startLoad } from './load.ts';
import { expectDataOr503, makePortfolio, type Portfolio } from './portfolio.ts';
import { type ServeProcess, startServe } from './serve-process.ts';

const ABREAST = 16;
/** Nobody waits until PostgreSQL is back; beyond that, patience for busy machines. */
const AT_MOST_MS = 60_000;

let postgres: Service;
let portfolio: Portfolio;
let serve: ServeProcess;
let load: Load;

beforeAll(async () => {
  postgres = await startPostgres();
  portfolio = await makePortfolio(postgres.url);
  // A commit that was acknowledged is to survive the death of this server.
  await portfolio.database.query({ text: 'alter database postgres set synchronous_commit = on' });
  serve = await startServe({ DATABASE_URL: postgres.url });
});
afterAll(async () => {
  await serve.end();
  await portfolio.database.close();
  await postgres.stop();
});

beforeEach(async () => {
  load = startLoad(portfolio.wanted(serve.url), ABREAST);
  await answered();
});

/** Enough requests for what is said of them. */
function answered(): Promise<void> {
  const count = load.sent.length;
  return until(
    async () => load.sent.length > count + 60,
    60_000,
    () => new Error(`${load.sent.length - count} answers`),
  );
}

/** Once it is ready again and has answered for a while: nothing was lost and nothing was wrong. */
async function expectMended(statuses: number[]): Promise<Sent[]> {
  await until(
    async () => (await serve.readiness()).status === 200,
    60_000,
    () => new Error(`it does not recover:\n${serve.said}`),
  );
  await sleep(500);
  const mended = performance.now();
  await answered();
  const sent = await load.stop();
  const counts = expectDataOr503(sent, AT_MOST_MS);
  expect(Object.keys(counts).map(Number)).toEqual(statuses);
  expect(sent.filter(({ started, status }) => started > mended && status !== 200)).toEqual([]);
  expect(serve.running).toBe(true);
  await expectRecorded(sent);
  return sent;
}

/** Whoever was counted against the key was admitted, and has a record with the status that it saw. */
async function expectRecorded(sent: Sent[]): Promise<void> {
  const admitted = sent.filter(({ headers }) => String(headers['ratelimit-policy']).startsWith('"key"'));
  expect(admitted.length).toBeGreaterThan(50);
  const lacking = async () => {
    const records = await portfolio.records();
    return admitted.filter(({ headers, status }) => records.get(String(headers['x-request-id'])) !== status);
  };
  await until(
    async () => (await lacking()).length === 0,
    60_000,
    () => new Error('calls without their record'),
  );
}

describe('PostgreSQL', () => {
  it('drops every connection again and again', async () => {
    const admin = new Client({ connectionString: postgres.url });
    await admin.connect();
    for (let count = 0; count < 6; count++) {
      await admin.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and usename is not null',
      );
      await sleep(200);
    }
    await admin.end();
    await expectMended([200, 503]);
  });

  it('drops the connections of a gateway that has nothing to do', async () => {
    await load.stop();
    const admin = new Client({ connectionString: postgres.url });
    await admin.connect();
    await admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and usename is not null',
    );
    await admin.end();
    await sleep(300);
    expect(serve.running, serve.said).toBe(true);
    load = startLoad(portfolio.wanted(serve.url), ABREAST);
    await expectMended([200]);
  });

  it('dies and comes back', async () => {
    await postgres.kill();
    await sleep(1_000);
    expect(await serve.readiness()).toEqual({ status: 503, body: { status: 'unavailable', away: ['postgresql'] } });
    await postgres.restart();
    await expectMended([200, 503]);
  });

  it('freezes for longer than anybody waits', async () => {
    await postgres.freeze();
    await sleep(1_000);
    expect(await serve.readiness()).toMatchObject({ status: 503, body: { status: 'unavailable' } });
    await sleep(7_000);
    await postgres.thaw();
    const sent = await expectMended([200, 503]);
    expect(sent.filter(({ status }) => status === 503).length).toBeGreaterThanOrEqual(ABREAST);
  });
});
