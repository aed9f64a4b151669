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
  database = await openDatabase({ url: created.url, onConnectionLost: () => {} });
});
afterAll(async () => {
  await database.close();
  await created.drop();
});

it('a read that is answered after the public listener has closed is recorded', async () => {
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
  expect(codesOf(await reading)).toEqual([]);
  await stopped;
  const records = await database.query({ text: 'select request_id from recorded_calls where tool_role is not null' });
  expect(records).toHaveLength(1);
});
