// Guarantee: PostgreSQL does not continue statements that the gateway gave up on; long work has no timeout.

import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { batched } from '#database/batched-statement.ts';
import { type Database, type DatabaseOptions, openDatabase } from '#database/database.ts';
import { forRequests, inTime, poolForRequests, REQUEST_PATIENCE_MS } from '#database/for-requests.ts';
import { createDatabase, type TestDatabase } from '#test/support/database.ts';
import { startRelay } from '#test/support/relay.ts';

let created: TestDatabase;
let observer: Client;
const opened: Database[] = [];

beforeAll(async () => {
  created = await createDatabase();
  observer = new Client({ connectionString: created.url });
  await observer.connect();
  // Defaults that an operator may have set for the database, and that must not apply to imports and migrations.
  const name = new URL(created.url).pathname.slice(1);
  await observer.query(`alter database ${name} set statement_timeout = '7s'`);
  await observer.query(`alter database ${name} set lock_timeout = '7s'`);
  await observer.query('create table held ()');
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
});
afterAll(async () => {
  await observer.end();
  await created.drop();
});

async function open(options: Partial<DatabaseOptions> = {}): Promise<Database> {
  const database = await openDatabase({ url: created.url, ...options });
  opened.push(database);
  return database;
}

/** The statements that PostgreSQL is executing for the gateway. */
async function busy(): Promise<string[]> {
  const { rows } = await observer.query<{ query: string }>(
    `select query from pg_stat_activity
     where datname = current_database() and application_name = 'portico' and state <> 'idle'`,
  );
  return rows.map(({ query }) => query);
}

const setting = async (database: Database, name: string) =>
  (await database.query<{ value: string }>({ text: 'select current_setting($1) as value', values: [name] }))[0]?.value;

const LONG = 'select pg_sleep(600)';
const PATIENCE_MS = 1_000;

describe('a transaction of a request', () => {
  it('is refused in time if the server does not respond, and its connection is discarded', async () => {
    const relay = await startRelay(created.url);
    try {
      const database = await open({ url: relay.url, connections: 1 });
      const begun = forRequests(database, 500).transaction(async (sql) => {
        relay.block();
        await sql.query({ text: 'select 1' });
      });
      await expect(begun).rejects.toMatchObject({ code: 'service_unavailable' });
      relay.mend();
      expect(await database.query({ text: 'select 1 as one' })).toEqual([{ one: 1 }]);
    } finally {
      await relay.stop();
    }
  });

  it('is not committed after the patience of its request, nor is another statement executed', async () => {
    const database = forRequests(await open());
    await observer.query('create table late (step text)');
    const add = (step: string) => ({ text: 'insert into late values ($1)', values: [step] });
    const late = { code: 'service_unavailable' };
    await inTime(600_000, () => database.transaction((sql) => sql.query(add('in time'))));
    const slow = (work: () => Promise<unknown>) => inTime(REQUEST_PATIENCE_MS + 20, work);
    const over = () => sleep(40);
    await expect(
      slow(() =>
        database.transaction(async (sql) => {
          await sql.query(add('uncommitted'));
          await over();
        }),
      ),
    ).rejects.toMatchObject(late);
    await expect(slow(() => over().then(() => database.query(add('alone'))))).rejects.toMatchObject(late);
    expect(await database.query({ text: 'select step from late' })).toEqual([{ step: 'in time' }]);
  });

  it.each([
    [
      'a statement that PostgreSQL cancels',
      { text: "select set_config('statement_timeout', '20ms', true), pg_sleep(0)" },
    ],
    ['a connection that PostgreSQL closes', { text: 'select pg_terminate_backend(pg_backend_pid())' }],
  ])('is refused after %s', async (_, first) => {
    const begun = forRequests(await open()).transaction(async (sql) => {
      await sql.query(first);
      await sql.query({ text: 'select pg_sleep(0.4)' });
    });
    await expect(begun).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('reports a value that cannot be stored as a fault of the request', async () => {
    const database = forRequests(await open());
    const begun = database.transaction((sql) => sql.query({ text: 'select $1::text', values: ['a\0'] }));
    await expect(begun).rejects.toMatchObject({ code: 'invalid_parameter' });
  });

  it('is rolled back, and its connection used again', async () => {
    const database = forRequests(await open({ connections: 1 }));
    const begun = database.transaction(async (sql) => {
      await sql.query({ text: 'create table undone ()' });
      throw new Error('no');
    });
    await expect(begun).rejects.toThrow('no');
    expect(await database.query({ text: "select to_regclass('undone') as found" })).toEqual([{ found: null }]);
  });
});

it('with two hosts, a statement still waits for a connection when half of the patience with one host is over', async () => {
  const { host } = new URL(created.url);
  const database = await open({ url: created.url.replace(host, `${host},${host}`), connections: 1 });
  let waiting: Promise<unknown> | undefined;
  await database.connection(async () => {
    waiting = database.query({ text: 'select 1 as one' });
    await Promise.race([waiting, sleep(2_200)]);
  });
  expect(await waiting).toEqual([{ one: 1 }]);
});

describe('a statement that a request gave up on', () => {
  it.each([
    ['alone', (database: Database) => forRequests(database, 500).query({ text: LONG })],
    ['prepared', (database: Database) => forRequests(database, 500).query({ text: LONG, prepare: true })],
    [
      'on a connection of its own',
      (database: Database) => database.connection((sql) => sql.query({ text: LONG, patienceMs: 500 })),
    ],
    [
      'through the pool of a library',
      async (database: Database) => {
        const client = await poolForRequests(database, 500).connect();
        await client.query(LONG).finally(() => client.release());
      },
    ],
  ])('is cancelled if it ran %s', async (_name, run) => {
    // Nothing else would end it: the timeout of the server is much longer, and the relay keeps its connection open.
    const relay = await startRelay(created.url, { halfClosed: true });
    const database = await open({ url: relay.url });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const refused = expect(run(database)).rejects.toThrow(/not available|timeout/);
      await expect.poll(busy).toEqual([LONG]);
      vi.advanceTimersByTime(500);
      await refused;
    } finally {
      vi.useRealTimers();
    }
    await expect.poll(busy).toEqual([]);
    await relay.stop();
  });

  it('is ended by the timeout of the server if the gateway does not cancel it', async () => {
    const database = await open({ patienceMs: PATIENCE_MS });
    await expect(database.query({ text: LONG })).rejects.toMatchObject({ code: '57014' });
    await expect(forRequests(database).query({ text: LONG })).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('stops waiting for a lock, and is reported as service_unavailable', async () => {
    const database = await open({ patienceMs: PATIENCE_MS, connections: 1 });
    // It begins before the wait for the lock, and would otherwise end it on a busy machine.
    await database.query({ text: 'set statement_timeout = 0' });
    await observer.query('begin; lock table held');
    const reading = forRequests(database).query({ text: 'select from held' });
    await expect(reading).rejects.toMatchObject({ code: 'service_unavailable', cause: { code: '55P03' } });
    await observer.query('commit');
  });

  it('is ended by the server after its connection broke', async () => {
    const database = await open({ patienceMs: 600_000 });
    expect(await setting(database, 'client_connection_check_interval')).toBe('1s');
    const client = await database.connect();
    const lost = client.query(LONG).catch(() => {});
    await expect.poll(busy).toEqual([LONG]);
    client.on('error', () => {});
    client.connection.stream.destroy();
    await lost;
    client.release(true);
    await expect.poll(busy).toEqual([]);
  });
});

describe('the timeouts of a connection', () => {
  it('are shorter than the patience of requests', async () => {
    const database = await open({ patienceMs: REQUEST_PATIENCE_MS });
    expect(await setting(database, 'statement_timeout')).toBe('4500ms');
    expect(await setting(database, 'lock_timeout')).toBe('4s');
  });

  it('are off for long work, whatever the defaults of the database', async () => {
    const database = await open();
    expect(await setting(database, 'statement_timeout')).toBe('0');
    expect(await setting(database, 'lock_timeout')).toBe('0');
  });

  it('are off during upkeep, and restored after it', async () => {
    const database = await open({ patienceMs: REQUEST_PATIENCE_MS, connections: 1 });
    const during = { text: `select current_setting('statement_timeout') as value` };
    expect(await database.transaction((sql) => sql.query(during), { noTimeout: true })).toEqual([{ value: '0' }]);
    expect(await setting(database, 'statement_timeout')).toBe('4500ms');
  });
});

describe('a read for several requests', () => {
  it('is not refused by the deadline of the one that asked first', async () => {
    const database = forRequests(await open());
    const read = batched(async (steps: readonly string[]) => {
      const [row] = await database.query<{ one: string }>({ text: 'select 1::text as one' });
      return steps.map((step) => `${step} ${row?.one}`);
    });
    const first = inTime(REQUEST_PATIENCE_MS - 1, () => read('late'));
    expect(await Promise.all([first, read('in time')])).toEqual(['late 1', 'in time 1']);
  });
});
