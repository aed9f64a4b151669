// Guarantee: the summary covers exactly the items that the grant covers.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AssetFilter } from '#core/asset-filter.ts';
import { newId } from '#core/ids.ts';
import { ENGINES } from '#test/support/engines.ts';
import type { TestGateway } from '#test/support/gateway.ts';
import { makePartner } from '#test/support/partner.ts';
import { insert, makeClient, makeItem } from '#test/support/scenario.ts';

describe.each(ENGINES)('over $name', ({ start }) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await start();
  });
  afterAll(() => gateway.stop());

  const clientWith = async (
    rows: [category: string, value: string | null, documents?: string[]][],
    currency = 'USD',
  ) => {
    const client = await makeClient(gateway.database, { currency });
    for (const [category, value, documents = []] of rows) {
      const { id } = await makeItem(gateway.database, client, { category, market_value: value });
      for (const type of documents)
        await insert(gateway.database, 'documents', { id: newId('document'), item_id: id, type });
    }
    return client;
  };

  const summary = async (client: Awaited<ReturnType<typeof clientWith>>, filter?: AssetFilter) => {
    const partner = await makePartner(gateway, { client, ...(filter === undefined ? {} : { filter }) });
    const { body } = await partner.get('/portfolio/summary');
    return body.data;
  };

  const RECOMMENDED = ['purchase_receipt', 'appraisal_report', 'insurance_policy'];
  /** Items with the scores 100, 33 (rounded down), 100 and 0: 58.25 in the mean. */
  const SCORED: Parameters<typeof clientWith>[0] = [
    ['WN', '1', RECOMMENDED],
    ['WN', '1', RECOMMENDED.slice(0, 1)],
    ['OT', '1'],
    ['PM', '1'],
  ];

  const usd = (amount: string) => ({ amount, currency: 'USD' });

  it('items are counted and their values added up by category, in the order of the category codes', async () => {
    const client = await clientWith([
      ['WT', '10000.10'],
      ['PM', '0.20'],
      ['WT', '0.05'],
      ['WT', null],
      ['CN', null],
    ]);
    const before = Date.now();
    const data = await summary(client);
    const after = Date.now();
    expect(data).toEqual({
      client_id: client.id,
      item_count: 5,
      categories: [
        { category: 'CN', name: 'Coins and currency', item_count: 1, total_value: usd('0.00') },
        { category: 'PM', name: 'Precious metals', item_count: 1, total_value: usd('0.20') },
        { category: 'WT', name: 'Watches', item_count: 3, total_value: usd('10000.15') },
      ],
      total_value: usd('10000.35'),
      documentation_completeness: { score: 0, complete_items: 0 },
      as_of: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(Date.parse(data.as_of)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(data.as_of)).toBeLessThanOrEqual(after);
  });

  it.each([
    ['USD', '0.00'],
    ['JPY', '0'],
    ['BHD', '0.000'],
  ])('an empty portfolio in %s has the total %s, no category and no score', async (currency, zero) => {
    const data = await summary(await clientWith([], currency));
    expect(data).toMatchObject({
      item_count: 0,
      categories: [],
      total_value: { amount: zero, currency },
      documentation_completeness: { score: null, complete_items: 0 },
    });
  });

  it.each([
    ['JPY', '0'],
    ['KWD', '0.000'],
  ])('the totals of items without a value in %s are %s', async (currency, zero) => {
    const data = await summary(await clientWith([['WT', null]], currency));
    expect(data.total_value).toEqual({ amount: zero, currency });
    expect(data.categories[0].total_value).toEqual({ amount: zero, currency });
  });

  it('totals are exact where a float would not be', async () => {
    const cents = Array.from({ length: 10 }, () => ['WT', '0.10'] as [string, string]);
    expect((await summary(await clientWith(cents))).total_value).toEqual(usd('1.00'));
    const data = await summary(
      await clientWith([
        ['WT', '99999999999999999999.99'],
        ['PM', '0.02'],
      ]),
    );
    expect(data.total_value).toEqual(usd('100000000000000000000.01'));
  });

  it("completeness is the mean of the items' scores, rounded down, and counts the complete ones", async () => {
    const data = await summary(await clientWith(SCORED));
    expect(data.documentation_completeness).toEqual({ score: 58, complete_items: 2 });
  });

  it('stored scores that have expired are replaced by those of the documents', async () => {
    const client = await clientWith(SCORED);
    const { database } = gateway;
    const [item] = await database.query<{ id: string }>({
      text: `select id from items where client_id = $1 and category = 'PM'`,
      values: [client.id],
    });
    const expired = { id: newId('document'), item_id: item?.id, type: 'insurance_policy', expires_on: '2020-01-01' };
    await insert(database, 'documents', expired);
    await database.query({
      text: `update item_completeness set score = 7, until = current_date - 1 where client_id = $1`,
      values: [client.id],
    });
    expect((await summary(client)).documentation_completeness).toEqual({ score: 58, complete_items: 2 });
  });

  it('only items inside the filter count', async () => {
    const client = await clientWith([
      ['WT', '1.00', ['purchase_receipt']],
      ['PM', '2.00'],
      ['OT', '4.00'],
    ]);
    const data = await summary(client, { type: 'category', categories: ['WT', 'OT'] });
    expect(data).toMatchObject({ item_count: 2, total_value: usd('5.00') });
    expect(data.categories.map(({ category }: { category: string }) => category)).toEqual(['OT', 'WT']);
    expect(data.documentation_completeness).toEqual({ score: 60, complete_items: 1 });
    expect(await summary(client, { type: 'category', categories: ['VH'] })).toMatchObject({
      item_count: 0,
      categories: [],
      total_value: usd('0.00'),
      documentation_completeness: { score: null },
    });
  });
});
