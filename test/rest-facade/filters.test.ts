// Guarantee: a list is filtered exactly by category, by market value and by both.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENGINES } from '#test/support/engines.ts';
import type { TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { makeItem } from '#test/support/scenario.ts';

const ITEMS = [
  ['WT', '0.00'],
  ['WT', '999.99'],
  ['PM', '1000.00'],
  ['PM', '1000.01'],
  ['AR', '99999999999999999999.99'],
  ['AR', null],
] as const;

describe.each(ENGINES)('over $name', ({ start }) => {
  let gateway: TestGateway;
  let partner: Partner;

  beforeAll(async () => {
    gateway = await start();
    partner = await makePartner(gateway, { filter: { type: 'category', categories: ['WT', 'PM', 'AR'] } });
    for (const [category, value] of ITEMS)
      await makeItem(gateway.database, partner.client, { category, market_value: value });
    await makeItem(gateway.database, partner.client, { category: 'CN', market_value: '1000.00' });
  });
  afterAll(() => gateway.stop());

  /** The indexes in ITEMS of the listed items; also checks the total of the page. */
  const found = async (query: string): Promise<number[]> => {
    const { body } = await partner.get(`/assets?${query}`);
    expect(body.pagination.total_items).toBe(body.data.length);
    return body.data.map((asset: { category: string; market_value: { amount: string } | null }) =>
      ITEMS.findIndex(
        ([category, value]) => category === asset.category && value === (asset.market_value?.amount ?? null),
      ),
    );
  };

  it.each([
    ['', [0, 1, 2, 3, 4, 5]],
    ['category=WT', [0, 1]],
    ['category=WT,AR', [0, 1, 4, 5]],
    ['category=AR,WT', [0, 1, 4, 5]],
    ['category=CN', []],
    ['category=VH,BK', []],
    ['min_value=1000', [2, 3, 4]],
    ['min_value=1000.00', [2, 3, 4]],
    ['min_value=1000.005', [3, 4]],
    ['max_value=1000', [0, 1, 2]],
    ['max_value=999.989999999999', [0]],
    ['min_value=0', [0, 1, 2, 3, 4]],
    ['max_value=0', [0]],
    ['min_value=999.99&max_value=1000', [1, 2]],
    ['min_value=99999999999999999999.99', [4]],
    ['max_value=99999999999999999999', [0, 1, 2, 3]],
    ['max_value=99999999999999999999.99999999999999999999', [0, 1, 2, 3, 4]],
    ['category=PM&min_value=1000.01', [3]],
  ] as [string, number[]][])('%s gives the items %j', async (query, places) => {
    expect(await found(query)).toEqual(places);
  });
});
