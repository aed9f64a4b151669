// PostgreSQL loses connections, dies or freezes under load: right data or 503, in time, and it mends by itself.

import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '#test/support/ports.ts';
import { type Service, startPostgres } from '#test/support/services.ts';
import { expectAlerts } from './expect-alerts.ts';
import { inChaos } from './in-chaos.ts';
import { type Load, type Sent, startLoad, withinLimit } from './load.ts';
import { expectDataOr503, makePortfolio, type Portfolio } from './portfolio.ts';
import { type ServeProcess, startServe } from './serve-process.ts';
import { expectTally } from './tally.ts';

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
  // More than there are requests at a time: whether they also wait for a connection is another fault's matter.
  serve = await startServe({ DATABASE_URL: postgres.url, DATABASE_CONNECTIONS: '30' });
});
afterAll(async () => {
  await serve.end();
  await portfolio.database.close();
  await postgres.stop();
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
async function expectMended(fault: string, statuses: number[], { refusesAny = true } = {}): Promise<Sent[]> {
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
  const seen = Object.keys(counts).map(Number);
  expect(refusesAny ? seen : [...new Set([...seen, 503])]).toEqual(statuses);
  expect(sent.filter(({ started, status }) => started > mended && status !== 200)).toEqual([]);
  expect(serve.running).toBe(true);
  await expectTally(`PostgreSQL ${fault}`, sent, portfolio);
  return sent;
}

/** Ends every connection but the one that says so; requests of the last `waitSeconds` are on their way just then. */
async function dropConnections(waitSeconds = 0): Promise<void> {
  const admin = new Client({ connectionString: postgres.url });
  await admin.connect();
  if (waitSeconds > 0) await admin.query(`begin; lock table change_log; select pg_sleep(${waitSeconds})`);
  await admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and usename is not null',
  );
  await admin.end();
}

/** Has every request wait until the returned function is called. */
async function lockTable(): Promise<() => Promise<void>> {
  const admin = new Client({ connectionString: postgres.url });
  admin.on('error', () => {});
  await admin.connect();
  await admin.query('begin; lock table change_log');
  return async () => {
    await admin.query('commit');
    await admin.end();
  };
}

describe('PostgreSQL', () => {
  beforeEach(async () => {
    load = startLoad(portfolio.wanted(serve.url), ABREAST, { pauseMs: withinLimit(ABREAST) });
    await answered();
  });

  it('drops every connection again and again', async () => {
    for (let count = 0; count < 6; count++) {
      await dropConnections();
      await sleep(200);
    }
    // Requests that have a connection just then are refused; there may be none.
    await expectMended('drops every connection, six times', [200, 503], { refusesAny: false });
  });

  it('drops the connections of a gateway that has nothing to do', async () => {
    await load.stop();
    await dropConnections();
    await sleep(300);
    expect(serve.running, serve.said).toBe(true);
    load = startLoad(portfolio.wanted(serve.url), ABREAST, { pauseMs: withinLimit(ABREAST) });
    await expectMended('drops the connections of an idle gateway', [200]);
  });

  it('dies and comes back', async () => {
    await postgres.kill();
    await sleep(1_000);
    expect(await serve.readiness()).toMatchObject({
      status: 503,
      body: { status: 'unavailable', away: ['postgresql'] },
    });
    await postgres.restart();
    await expectMended('is killed and comes back', [200, 503]);
  });

  it('has a table locked for longer than anybody waits, and is rid of what was given up', async () => {
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
      () => new Error('nothing is given up'),
    );
    await expect.poll(async () => (await waiting()).filter((statement) => first.includes(statement))).toEqual([]);
    await unlock();
    await expectMended('has a locked table', [200, 503]);
  });

  it('freezes for longer than anybody waits', async () => {
    await postgres.freeze();
    await sleep(1_000);
    expect(await serve.readiness()).toMatchObject({ status: 503, body: { status: 'unavailable' } });
    await sleep(7_000);
    await postgres.thaw();
    const sent = await expectMended('freezes for 8 s', [200, 503]);
    expect(sent.filter(({ status }) => status === 503).length).toBeGreaterThanOrEqual(ABREAST);
  });
});

describe('while it lasts, operations hear of it', () => {
  const AWAY = ['PorticoDatabaseAway', 'PorticoRequestsFail', 'PorticoRecordsWaiting'];
  let unlock: () => Promise<void>;

  it('PostgreSQL is killed', async () => {
    const [begin, end] = [() => postgres.kill(), () => postgres.restart()];
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
