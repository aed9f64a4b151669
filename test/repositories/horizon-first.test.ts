// Guarantee: whoever has reached the position that goes with a sync horizon has all that was committed by it, also where the two
// are read in one statement.
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
  // While it is read, somebody writes.
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

/** Bytes of the log from the end of the horizon's reading to the position. */
async function after(position: string | null | undefined): Promise<number> {
  const [row] = await database.query<{ bytes: string }>({
    text: "select pg_wal_lsn_diff($1::pg_lsn, current_setting('test.horizon_at')::pg_lsn) as bytes",
    values: [position?.split(' ')[0]],
  });
  return Number(row?.bytes);
}

it('of what is known of a key and a client', async () => {
  const asked = { keyId: 'key_1', firmId: 'frm_1', clientId: 'usr_1', admission: null, portfolio: null, horizon: true };
  const [answer] = await readChanges(database, [asked]);
  expect(answer?.horizon).toEqual(expect.any(String));
  expect(await after(answer?.moment.position)).toBeGreaterThanOrEqual(0);
});

it('of a client who looks at their own portfolio', async () => {
  const { id } = await makeClient(database);
  const person = await readPerson(database, id);
  expect(person).toMatchObject({ kind: 'client', view: { horizon: expect.any(String) } });
  expect(await after(person?.kind === 'client' ? person.view.position : null)).toBeGreaterThanOrEqual(0);
});
