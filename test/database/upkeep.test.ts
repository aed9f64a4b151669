// Guarantee: upkeep leaves connections of a small pool to requests, records expiries, and reports each failure.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createEvents } from '#core/events.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { grantWithoutRequest } from '#repositories/grants/grants.ts';
import { readConfig } from '#src/config.ts';
import { startUpkeep } from '#src/upkeep.ts';
import { makeScene } from '#test/repositories/grant-scene.ts';
import { makeFirm } from '#test/repositories/parties.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { waitsFor } from '#test/support/locks.ts';
import { listGrantEvents } from '#test/support/recorded.ts';
import { makeClient } from '#test/support/scenario.ts';

const TURN_MS = 600_000;

let created: TestDatabase;
/** The pool of the gateway, and another one. */
let database: Database;
let other: Database;
beforeAll(async () => {
  created = await createMigratedDatabase();
  database = await openDatabase({ url: created.url, connections: 4 });
  other = await openDatabase({ url: created.url });
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterAll(async () => {
  vi.useRealTimers();
  await database.close();
  await other.close();
  await created.drop();
});

it('upkeep uses one connection for deleting rows, however long that takes', async () => {
  const upkeep = startUpkeep(database, readConfig({ DATABASE_URL: created.url }), createEvents());
  await other.transaction(async (sql) => {
    const tables = 'changes, portal_sessions, revocations, notices, limit_sums, gateway_processes';
    await sql.query({ text: `lock table ${tables} in access exclusive mode` });
    vi.advanceTimersByTime(TURN_MS);
    const waits = `select count(*)::int as waits from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await expect.poll(() => other.query({ text: waits })).toEqual([{ waits: 1 }]);
    // The next turn is due while the first one waits.
    vi.advanceTimersByTime(TURN_MS);
    for (let request = 0; request < 5; request++) await database.query({ text: 'select pg_sleep(0.1)' });
    expect(await other.query({ text: waits })).toEqual([{ waits: 1 }]);
  });
  await upkeep[Symbol.asyncDispose]();
});

it('the next turn does not start another archive run while one is in progress', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'portico-archive-'));
  const settings = readConfig({ DATABASE_URL: created.url, RECORD_ARCHIVE: directory });
  const upkeep = startUpkeep(database, settings, createEvents());
  await other.transaction(async (sql) => {
    await sql.query({ text: 'lock table erased_subjects in access exclusive mode' });
    const waits = waitsFor({ table: 'erased_subjects' });
    // The archive and one other task wait.
    vi.advanceTimersByTime(TURN_MS);
    await expect.poll(() => other.query({ text: waits })).toEqual([{ waits: 2 }]);
    for (let turn = 0; turn < 2; turn++) vi.advanceTimersByTime(TURN_MS);
    for (let request = 0; request < 5; request++) await database.query({ text: 'select pg_sleep(0.1)' });
    expect(await other.query({ text: waits })).toEqual([{ waits: 2 }]);
  });
  await upkeep[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

it('the expiry of a grant is recorded without a request for it', async () => {
  const firm = await makeFirm(database);
  const { owner, terms } = await makeScene(database, firm);
  const { id } = await grantWithoutRequest(database, terms, owner);
  await other.query({
    text: `update grants set expires_at = now_ms() - interval '1 hour' where id = $1`,
    values: [id],
  });
  const upkeep = startUpkeep(database, readConfig({ DATABASE_URL: created.url }), createEvents());
  vi.advanceTimersByTime(TURN_MS);
  await expect.poll(() => listGrantEvents(other, id)).toMatchObject([{ action: 'grant' }, { action: 'expire' }]);
  await upkeep[Symbol.asyncDispose]();
});

it('scores that have expired are all recomputed in one turn, however many there are', async () => {
  const client = await makeClient(database);
  await other.query({
    text: `insert into items (id, registry_id, client_id, category, title)
      select 'itm_' || ulid, 'PTC-FA-' || ulid, $1, 'FA', 'Chair' from (
        select lpad(n::text, 26, '0') as ulid from generate_series(1, 20001) n) made`,
    values: [client.id],
  });
  await other.query({
    text: `update item_completeness set until = '2020-01-01' where client_id = $1`,
    values: [client.id],
  });
  const upkeep = startUpkeep(database, readConfig({ DATABASE_URL: created.url }), createEvents());
  vi.advanceTimersByTime(TURN_MS);
  const expired = `select count(*)::int as expired from item_completeness where until < current_date`;
  await expect.poll(() => other.query({ text: expired })).toEqual([{ expired: 0 }]);
  await upkeep[Symbol.asyncDispose]();
});

it('each task that fails is reported', async () => {
  const events = createEvents();
  const failures: string[] = [];
  events.on('failure', ({ error }) => failures.push((error as Error).message));
  const upkeep = startUpkeep(database, readConfig({ DATABASE_URL: created.url }), events);
  const rename = (table: string, to: string) => other.query({ text: `alter table ${table} rename to ${to}` });
  await rename('portal_sessions', 'sessions_elsewhere');
  await rename('limit_sums', 'sums_elsewhere');
  vi.advanceTimersByTime(TURN_MS);
  await expect
    .poll(() => failures)
    .toEqual(['relation "portal_sessions" does not exist', 'relation "limit_sums" does not exist']);
  await rename('sessions_elsewhere', 'portal_sessions');
  await rename('sums_elsewhere', 'limit_sums');
  await upkeep[Symbol.asyncDispose]();
});
