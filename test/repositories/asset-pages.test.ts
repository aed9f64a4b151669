// A page of assets reads the epoch of the database once, however many rows it has.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { ALL_SCOPES } from '#core/scopes.ts';
import type { Sql } from '#database/database.ts';
import { firstDeltaPage } from '#repositories/assets/asset-delta.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makeClient, makeItem } from '#test/support/scenario.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

async function epochReads(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ calls: number }>({
    text: `select calls::int from pg_stat_xact_user_functions where funcname = 'database_epoch'`,
  });
  return row?.calls ?? 0;
}

it.each([0, 1, 12])('a page of changes with %i rows reads the epoch once', async (count) => {
  const { database } = gateway;
  const client = await makeClient(database);
  for (let n = 0; n < count; n++) await makeItem(database, client);
  const view = {
    ...{ clientId: client.id, reportingCurrency: 'EUR', filter: { type: 'all' } as const },
    ...{ scopes: ALL_SCOPES, keyScopes: ALL_SCOPES },
    ...{ changedAt: '2020-01-01T00:00:00.000Z', horizon: null, position: null },
  };
  const query = { categories: null, minValue: null, maxValue: null };
  const { page, calls } = await database.transaction(async (sql) => {
    await sql.query({ text: `set local track_functions = 'all'` });
    // Earlier calls of the connection may still be counted.
    const before = await epochReads(sql);
    const read = await firstDeltaPage(sql, view, query, '2020-01-01T00:00:00.000Z', { size: 25, offset: 0 });
    return { page: read, calls: (await epochReads(sql)) - before };
  });
  expect(page.nodes).toHaveLength(count);
  expect(page.epoch).not.toBe('');
  expect(calls).toBe(1);
});
