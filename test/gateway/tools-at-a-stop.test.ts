// Guarantee: what a tool reads as a key while the gateway stops is recorded.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '#database/database.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { startGateway } from '#test/support/gateway.ts';
import { waitsFor } from '#test/support/locks.ts';
import { makePartner } from '#test/support/partner.ts';
import { makeItem } from '#test/support/scenario.ts';
import { codesOf, graphql, makeServiceToken } from '#test/support/tools.ts';

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

/** Reads while the gateway stops. Returns the errors, the number of records, and how long the read took. */
async function readAtAStop(): Promise<{ codes: unknown[]; records: number; tookMs: number }> {
  const gateway = await startGateway({ databaseUrl: created.url });
  const partner = await makePartner(gateway);
  await makeItem(database, partner.client);
  const token = await makeServiceToken(database, 'support');

  const locked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const transaction = database.transaction(async (sql) => {
    await sql.query({ text: 'lock table items in access exclusive mode' });
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  const began = performance.now();
  const query = `{ assets(clientId: "${partner.client.id}") { nodes { title } } }`;
  const reading = graphql(gateway.internalUrl, token, { query }, { actAs: partner.key.id });
  await expect.poll(() => database.query({ text: waitsFor({ table: 'items' }) })).toEqual([{ waits: 1 }]);

  const stopped = gateway.stop();
  const refused = () =>
    fetch(`${gateway.internalUrl}/livez`).then(
      () => false,
      () => true,
    );
  await expect.poll(refused).toBe(true);
  release.resolve();
  await transaction;
  const codes = await reading.then(codesOf, (error: Error) => [error.message]);
  const tookMs = performance.now() - began;
  await stopped;
  const text = 'select request_id from recorded_calls where tool_role is not null and client_id = $1';
  const records = await database.query({ text, values: [partner.client.id] });
  return { codes, records: records.length, tookMs };
}

it('a read that is answered after the public listener has closed is recorded', async () => {
  let read = await readAtAStop();
  // A stop waits three seconds for the read, and the read four seconds for the lock: too little on a busy machine.
  for (let again = 0; again < 5 && read.codes.length > 0 && read.tookMs > 3_000; again++) read = await readAtAStop();
  expect(read).toMatchObject({ codes: [], records: 1 });
});
