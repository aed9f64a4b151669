// Guarantee: the database refuses amounts that are not finite numbers, which would corrupt the totals permanently.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner } from '#test/support/partner.ts';
import { makeClient, makeItem } from '#test/support/scenario.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

it('NaN and Infinity are refused in every numeric column, and the summary stays right', async () => {
  const { database } = gateway;
  const client = await makeClient(database);
  const item = await makeItem(database, client, { market_value: '100.00' });
  await database.query({
    text: `insert into valuations (id, item_id, source, amount, currency, valued_at)
      select $1, $2, min(code), 90, 'EUR', now() from valuation_sources`,
    values: [newId('valuation'), item.id],
  });
  const columns = await database.query<{ table: string; column: string }>({
    text: `select table_name as table, column_name as column from information_schema.columns
      where table_schema = 'public' and table_name in ('items', 'valuations') and data_type = 'numeric'`,
  });
  expect(columns.length).toBeGreaterThan(4);
  for (const { table, column } of columns)
    for (const value of ['NaN', 'Infinity']) {
      const text = `update ${table} set ${column} = '${value}' where ${table === 'items' ? 'id' : 'item_id'} = $1`;
      const refused = database.query({ text, values: [item.id] });
      // A numeric with a precision refuses Infinity by its type (22003), others by a check (23514).
      await expect(refused, `${table}.${column} = ${value}`).rejects.toMatchObject({
        code: expect.stringMatching(/^(23514|22003)$/),
      });
    }
  const { body } = await (await makePartner(gateway, { client })).get('/portfolio/summary');
  expect(body.data.total_value.amount).toBe('100.00');
});
