// A sync horizon is read before its log position, also in one statement: a server that has replayed the log up to the
// position has everything committed before the horizon.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '#database/database.ts';
import { readChanges } from '#repositories/admission/change-log.ts';
import { readPerson } from '#repositories/admission/principals.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { makeClient } from '#test/support/scenario.ts';

let created: TestDatabase;
let database: Database;

beforeAll(async () => {
  created = await createMigratedDatabase();
  database = await openDatabase({ url: created.url, connections: 1 });
  const [horizon] = await database.query<{ source: string }>({
    text: "select pg_get_functiondef('sync_horizon()'::regprocedure) as source",
  });
  // Writes to the log between the reads of the horizon and of the position.
  await database.query({
    text: `${horizon?.source.replace('sync_horizon()', 'horizon_alone()')};
      create or replace function sync_horizon() returns timestamptz language plpgsql as $$
      declare
        found timestamptz := horizon_alone();
      begin
        perform pg_logical_emit_message(false, 'test', 'meanwhile');
        perform set_config('test.horizon_at', pg_current_wal_insert_lsn()::text, false);
        return found;
      end $$`,
  });
});
afterAll(async () => {
  await database?.close();
  await created?.drop();
});

/** Bytes of the log from the read of the horizon to the position. */
async function bytesAfterHorizon(position: string | null | undefined): Promise<number> {
  expect(position).toEqual(expect.any(String));
  const [row] = await database.query<{ bytes: string }>({
    text: "select pg_wal_lsn_diff($1::pg_lsn, current_setting('test.horizon_at')::pg_lsn) as bytes",
    values: [position?.split(' ')[0]],
  });
  return Number(row?.bytes);
}

it('the change log gives no position before the horizon', async () => {
  const query = { keyId: 'key_1', firmId: 'frm_1', clientId: 'usr_1', admission: null, portfolio: null, horizon: true };
  const [answer] = await readChanges(database, [query]);
  expect(answer?.horizon).toEqual(expect.any(String));
  expect(await bytesAfterHorizon(answer?.moment.position)).toBeGreaterThanOrEqual(0);
});

it("the view of a client's own portfolio has no position before the horizon", async () => {
  const { id } = await makeClient(database);
  const person = await readPerson(database, id);
  expect(person).toMatchObject({ kind: 'client', view: { horizon: expect.any(String) } });
  expect(await bytesAfterHorizon(person?.kind === 'client' ? person.view.position : null)).toBeGreaterThanOrEqual(0);
});
