// Guarantee: operations see what the last check of the database found: whether it is usable, why not, and its clock.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Refusal } from '#core/errors.ts';
import { NoConnection } from '#database/connections.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { UnusableSession } from '#database/session.ts';
import { type DatabaseState, DatabaseWatch } from '#gateway/restore/database-watch.ts';
import { UnconfirmedDatabase } from '#gateway/restore/servable.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { FakeClock } from '#test/support/fake-clock.ts';

const HOUR_MS = 3_600_000;

let created: TestDatabase;
let database: Database;

beforeAll(async () => {
  created = await createMigratedDatabase();
  database = await openDatabase({ url: created.url });
});
afterAll(async () => {
  await database.close();
  await created.drop();
});

/** What one check finds, by a clock that is `aheadMs` ahead. */
async function stateOf(of: Database, aheadMs = 0): Promise<DatabaseState> {
  const { promise: measured, resolve: measure } = Promise.withResolvers<void>();
  const reads = { measure: async () => measure() };
  const watch = new DatabaseWatch({ database: of, reads }, new FakeClock(Date.now() + aheadMs));
  watch.check();
  await measured;
  return watch.state;
}

it.each([
  ['ahead', HOUR_MS, 3_600],
  ['behind', -HOUR_MS, -3_600],
])('a clock that is an hour %s is reported', async (_which, aheadMs, seconds) => {
  const { clockAheadSeconds, recordDaysAhead, ...state } = await stateOf(database, aheadMs);
  expect(state).toEqual({ usable: true, unconfirmed: false, ledger: { entries: 0, oldestSeconds: 0 } });
  expect(recordDaysAhead).toBeGreaterThan(31);
  // The duration of the test adds to the difference.
  expect(Math.abs((clockAheadSeconds ?? 0) - seconds)).toBeLessThan(60);
});

it('a difference within the duration of the query is not reported', async () => {
  const slow: Database = { ...database, query: (statement) => answerLate(statement, clock) as never };
  const clock = new FakeClock(Date.now() - 1_000);
  const reads = { measure: async () => done() };
  const { promise: checked, resolve: done } = Promise.withResolvers<void>();
  const watch = new DatabaseWatch({ database: slow, reads }, clock);
  watch.check();
  await checked;
  expect(watch.state).toMatchObject({ usable: true, unconfirmed: false, clockAheadSeconds: 0 });
});

/** The clock advances by an hour during each query. */
async function answerLate(statement: Parameters<Database['query']>[0], clock: FakeClock): Promise<unknown> {
  const rows = await database.query(statement);
  clock.advance(HOUR_MS);
  return /clock_timestamp/.test(statement.text) ? [{ ms: clock.now() - HOUR_MS / 2 }] : rows;
}

it.each([
  ['was not confirmed', new UnconfirmedDatabase('there is no journal'), true],
  ['is unreachable', new Error('connect ECONNREFUSED'), false],
])('a database that %s is not usable, and its clock is unknown', async (_what, cause, unconfirmed) => {
  const failures = [
    { url: 'postgres://one/portico', error: new Error('connect ECONNREFUSED') },
    { url: 'postgres://two/portico', error: new UnusableSession('', { cause }) },
  ];
  const refusal = new Refusal('service_unavailable', { cause: new NoConnection(failures) });
  const refusing: Database = { ...database, query: () => Promise.reject(refusal) };
  const unknown = { clockAheadSeconds: null, recordDaysAhead: null, ledger: null };
  expect(await stateOf(refusing)).toEqual({ usable: false, unconfirmed, ...unknown });
});
