// Guarantee: clients can be erased while calls about them are recorded and appended to the ledger, which stays valid;
// records of calls that arrive after the erasure are deleted by upkeep.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packNumbers } from '#core/disclosure.ts';
import type { AccessEvent } from '#core/events.ts';
import { newId } from '#core/ids.ts';
import { ALL_SCOPES } from '#core/scopes.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { appendPending } from '#gateway/ledger/append.ts';
import { auditLedger } from '#gateway/ledger/audit.ts';
import { eraseClient, finishErasures } from '#gateway/personal-data/erase.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { saveCalls } from '#test/support/save-calls.ts';
import { type Key, makeClient, makeFirm, makeGrant, makeItem, makeKey } from '#test/support/scenario.ts';
import { Chance } from './chance.ts';

const CLIENTS = 4;
const CALLS_EACH = 10;
const actor = { kind: 'operator', id: 'test' } as const;

const chance = new Chance();
let target: TestDatabase;
let database: Database;
let key: Key;
let clients: string[];

beforeAll(async () => {
  target = await createMigratedDatabase();
  database = await openDatabase({ url: target.url });
  key = await makeKey(database, await makeFirm(database));
  clients = [];
  for (let at = 0; at < CLIENTS; at++) {
    const client = await makeClient(database);
    await makeItem(database, client);
    await makeGrant(database, key, client);
    clients.push(client.id);
  }
});
afterAll(async () => {
  await database?.close();
  await target?.drop();
});

const eventAbout = (clientId: string): AccessEvent => ({
  ...{ requestId: newId('request'), at: new Date().toISOString(), endpoint: 'GET /api/v1/assets', registryId: null },
  ...{ status: 200, errorCode: null, firmId: key.firmId, keyId: key.id, scopes: ALL_SCOPES, clientId },
  disclosure: { items: packNumbers([1]), removed: null, scopes: 3, includes: 0 },
  version: '2025-01-01',
});

const callsOn = async (ids: readonly string[]): Promise<number> =>
  (await database.query({ text: 'select 1 from recorded_calls where client_id = any($1)', values: [ids] })).length;

async function appendAll(): Promise<void> {
  while ((await appendPending(database, null)) > 0);
}

it('clients are erased while their calls are recorded and appended, and late records are deleted', async () => {
  let writing = true;
  let written = 0;
  const writer = async () => {
    while (writing) {
      const batch = Array.from({ length: CALLS_EACH }, () => eventAbout(chance.pick(clients)));
      await saveCalls(database, batch);
      written += batch.length;
    }
  };
  const sequencer = async () => {
    while (writing) if ((await appendPending(database, null)) === 0) await nextTurn();
  };
  const writers = Promise.all([writer(), writer(), sequencer()]);
  const erased = clients.slice(0, CLIENTS / 2);
  await expect.poll(() => written).toBeGreaterThan(CLIENTS * CALLS_EACH);
  for (const [at, id] of erased.entries())
    await eraseClient(
      database,
      { id, reason: 'Asked for it', actor },
      { portalUrl: null, noticeDays: at % 2 === 0 ? 0 : 30 },
    );
  // Erased without a notice period for partners: only their late records are left.
  const atOnce = erased.filter((_, at) => at % 2 === 0);
  await expect.poll(() => callsOn(atOnce)).toBeGreaterThan(0);
  writing = false;
  await writers;
  await appendAll();
  const audit = await auditLedger(database);
  expect(audit.faults).toEqual([]);
  expect(audit.erased).toBeGreaterThan(erased.length);
  expect(await callsOn(atOnce)).toBeGreaterThan(0);
  expect(await database.transaction((sql) => finishErasures(sql, null))).toBe(atOnce.length);
  expect(await callsOn(atOnce)).toBe(0);
  expect(await database.transaction((sql) => finishErasures(sql, null))).toBe(0);
  // A gateway that was cut off from the database for days saves a record.
  const [id = ''] = atOnce;
  await database.query({
    text: `update erased_subjects set finished_at = now_ms() - interval '9 days' where id = $1`,
    values: [id],
  });
  await saveCalls(database, [eventAbout(id)]);
  expect(await database.transaction((sql) => finishErasures(sql, null))).toBe(1);
  expect(await callsOn([id])).toBe(0);
  await appendAll();
  const after = await auditLedger(database);
  expect(after.faults).toEqual([]);
  expect(after.proven + after.erased).toBe(after.size);
  expect(await callsOn(clients.slice(CLIENTS / 2))).toBeGreaterThan(0);
});
