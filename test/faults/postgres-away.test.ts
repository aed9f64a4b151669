// PostgreSQL drops connections, dies or freezes under load: each request gets the right data or 503 in time, and the
// gateway recovers by itself.

import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { untilBlocked } from '#test/support/locks.ts';
import { startMigratedPostgres } from '#test/support/migrated-postgres.ts';
import { until } from '#test/support/ports.ts';
import type { Service } from '#test/support/services.ts';
import { expectAlerts } from './expect-alerts.ts';
import { inChaos } from './in-chaos.ts';
import { type Load, type Sent, startLoad, wellWithinLimit } from './load.ts';
import { expectDataOr503, makePortfolio, type Portfolio } from './portfolio.ts';
import { type ServeProcess, startServe } from './serve-process.ts';
import { expectTally } from './tally.ts';

const CONCURRENCY = 16;
/** Longest time for a response, with a margin for busy machines. */
const AT_MOST_MS = 60_000;

let postgres: Service;
let portfolio: Portfolio;
let serve: ServeProcess;
let load: Load;

beforeAll(async () => {
  postgres = await startMigratedPostgres();
  portfolio = await makePortfolio(postgres.url);
  // Acknowledged commits must survive the death of this server.
  await portfolio.database.query({ text: 'alter database postgres set synchronous_commit = on' });
  // More than there are concurrent requests, so that none waits for a connection.
  serve = await startServe({ DATABASE_URL: postgres.url, DATABASE_CONNECTIONS: '30' });
});
afterAll(async () => {
  await serve.end();
  await portfolio.database.close();
  await postgres.stop();
});

/** Waits for enough responses to check. */
function untilAnswered(): Promise<void> {
  const count = load.sent.length;
  return until(
    async () => load.sent.length > count + 60,
    60_000,
    () => new Error(`${load.sent.length - count} responses`),
  );
}

/** Waits until the gateway is ready and has served for a while, and expects that nothing was lost or wrong. */
async function expectRecovered(fault: string, statuses: number[]): Promise<Sent[]> {
  await until(
    async () => (await serve.readiness()).status === 200,
    60_000,
    () => new Error(`the gateway does not recover:\n${serve.output}`),
  );
  await sleep(500);
  const recovered = performance.now();
  await untilAnswered();
  const sent = await load.stop();
  const counts = expectDataOr503(sent, AT_MOST_MS);
  expect(Object.keys(counts).map(Number)).toEqual(statuses);
  expect(sent.filter(({ started, status }) => started > recovered && status !== 200)).toEqual([]);
  expect(serve.running).toBe(true);
  await expectTally(`PostgreSQL ${fault}`, sent, portfolio);
  return sent;
}

/** Ends every other connection; with `waitSeconds`, while the requests of that time wait for a lock. */
async function dropConnections(waitSeconds = 0): Promise<void> {
  const admin = new Client({ connectionString: postgres.url });
  await admin.connect();
  if (waitSeconds > 0) await admin.query(`begin; lock table change_log; select pg_sleep(${waitSeconds})`);
  await admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and usename is not null',
  );
  await admin.end();
}

/** Makes every request wait, or what else needs the table, until the returned function is called. */
async function lockTable(table = 'change_log'): Promise<() => Promise<void>> {
  const admin = new Client({ connectionString: postgres.url });
  admin.on('error', () => {});
  await admin.connect();
  await admin.query(`begin; lock table ${table}`);
  return async () => {
    await admin.query('commit');
    await admin.end();
  };
}

describe('the gateway recovers after PostgreSQL', () => {
  beforeEach(async () => {
    load = startLoad(portfolio.wanted(serve.url), CONCURRENCY, { pauseMs: wellWithinLimit(CONCURRENCY) });
    await untilAnswered();
  });

  it('drops every connection six times', async () => {
    for (let count = 0; count < 6; count++) {
      await dropConnections(0.1);
      await sleep(200);
    }
    await expectRecovered('drops every connection, six times', [200, 503]);
  });

  it('drops the connections of an idle gateway', async () => {
    await load.stop();
    await dropConnections();
    await sleep(300);
    expect(serve.running, serve.output).toBe(true);
    load = startLoad(portfolio.wanted(serve.url), CONCURRENCY, { pauseMs: wellWithinLimit(CONCURRENCY) });
    await expectRecovered('drops the connections of an idle gateway', [200]);
  });

  it('is killed and restarted', async () => {
    await postgres.kill();
    await sleep(1_000);
    expect(await serve.readiness()).toMatchObject({
      status: 503,
      body: { status: 'unavailable', away: ['postgresql'] },
    });
    await postgres.restart();
    await expectRecovered('is killed and comes back', [200, 503]);
  });

  it('has a table locked for longer than the timeout of requests, whose statements are cancelled', async () => {
    const unlock = await lockTable();
    const waiting = async () => {
      const rows = await portfolio.database.query<{ statement: string }>({
        text: `select pid || ' since ' || query_start as statement from pg_stat_activity
          where application_name = 'portico' and wait_event_type = 'Lock'`,
      });
      return rows.map(({ statement }) => statement);
    };
    await expect.poll(waiting).not.toEqual([]);
    const first = await waiting();
    await until(
      async () => load.sent.some(({ status }) => status === 503),
      60_000,
      () => new Error('no request timed out'),
    );
    await expect.poll(async () => (await waiting()).filter((statement) => first.includes(statement))).toEqual([]);
    await unlock();
    await expectRecovered('has a locked table', [200, 503]);
  });

  it('freezes for longer than the timeout of requests', async () => {
    await postgres.freeze();
    await sleep(1_000);
    expect(await serve.readiness()).toMatchObject({ status: 503, body: { status: 'unavailable' } });
    await sleep(7_000);
    await postgres.thaw();
    const sent = await expectRecovered('freezes for 8 s', [200, 503]);
    expect(sent.filter(({ status }) => status === 503).length).toBeGreaterThanOrEqual(CONCURRENCY);
  });
});

describe('while the fault lasts, the declared alerts fire', () => {
  const AWAY = ['PorticoDatabaseAway', 'PorticoRequestsFail', 'PorticoRecordsWaiting'];
  let unlock: () => Promise<void>;

  it('PostgreSQL is killed', async () => {
    const begin = async () => {
      // So that records wait for certain: between two saves there may be none.
      await lockTable('access_writers');
      await untilBlocked(portfolio.database);
      await postgres.kill();
    };
    const end = () => postgres.restart();
    await expectAlerts('PostgreSQL is killed and comes back', AWAY, { serve, portfolio }, { begin, end });
  });

  if (!inChaos) return;

  it.each([
    { fault: 'freezes for 8 s', alerts: AWAY, begin: () => postgres.freeze(), end: () => postgres.thaw() },
    {
      fault: 'has a locked table',
      alerts: ['PorticoRequestsFail'],
      begin: async () => {
        unlock = await lockTable();
      },
      end: () => unlock(),
    },
    {
      fault: 'drops every connection, six times',
      alerts: ['PorticoRequestsFail'],
      begin: async (over: AbortSignal) => {
        for (; !over.aborted; await sleep(200)) await dropConnections(0.1);
      },
      end: () => {},
    },
    { fault: 'drops the connections of an idle gateway', alerts: [], begin: () => dropConnections(), end: () => {} },
  ])('PostgreSQL $fault', async ({ fault, alerts, begin, end }) => {
    await expectAlerts(`PostgreSQL ${fault}`, alerts, { serve, portfolio }, { begin, end });
  });
});
