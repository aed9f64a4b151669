// Guarantee: the valuations of an asset are listed newest first, by source, since an instant, page by page.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { ENGINES } from '#test/support/engines.ts';
import type { TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { type Item, insert, makeItem, type Response } from '#test/support/scenario.ts';

const idsOf = ({ body }: Response): string[] => body.data.map(({ id }: { id: string }) => id);

describe.each(ENGINES)('over $name', ({ start }) => {
  let gateway: TestGateway;
  let partner: Partner;
  let item: Item;
  let list: string;

  const value = async (valuedAt: string, source = 'appraisal', columns: Record<string, unknown> = {}, of = item) => {
    const id = newId('valuation');
    const row = { id, item_id: of.id, source, amount: '100.00', currency: 'USD', valued_at: valuedAt };
    await insert(gateway.database, 'valuations', { ...row, ...columns });
    return id;
  };

  beforeAll(async () => {
    gateway = await start();
    partner = await makePartner(gateway);
    item = await makeItem(gateway.database, partner.client);
    list = `/assets/${item.registryId}/valuations`;
  });
  afterAll(() => gateway.stop());

  it('an asset without valuations has an empty list', async () => {
    const { body } = await partner.get(list);
    expect(body).toEqual({
      data: [],
      pagination: { page: 1, page_size: 25, total_items: 0, total_pages: 0, has_more: false, next_cursor: null },
    });
  });

  it('valuations are listed by valued_at, newest first, then by descending id, each in its own currency', async () => {
    const second = await value('2025-06-01T00:00:00.001Z', 'appraisal', { amount: '5', currency: 'JPY' });
    const tied = await value('2025-06-01T00:00:00.000Z', 'spot_price', { amount: '1.234', currency: 'BHD' });
    const later = await value('2025-06-01T00:00:00.000Z', 'dealer_quote', { appraiser: 'A dealer' });
    const first = await value('2026-01-01T00:00:00Z', 'auction_result');
    const oldest = await value('1999-12-31T23:59:59.999Z', 'user_estimate');
    const response = await partner.get(list);
    expect(idsOf(response)).toEqual([first, second, later, tied, oldest]);
    expect(response.body.data[1]).toEqual({
      id: second,
      registry_id: item.registryId,
      source: 'appraisal',
      value: { amount: '5', currency: 'JPY' },
      valued_at: '2025-06-01T00:00:00.001Z',
      appraiser: null,
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    });
    expect(response.body.data[3].value).toEqual({ amount: '1.234', currency: 'BHD' });
  });

  it('source selects those of one source', async () => {
    const { body } = await partner.get(`${list}?source=spot_price`);
    expect(body.data.map(({ source }: { source: string }) => source)).toEqual(['spot_price']);
    expect(body.pagination.total_items).toBe(1);
    expect((await partner.get(`${list}?source=insurance_appraisal`)).body.pagination.total_pages).toBe(0);
  });

  it('since is exclusive, also below a millisecond and in any offset', async () => {
    const count = async (since: string) => (await partner.get(`${list}?since=${since}`)).body.pagination.total_items;
    expect(await count('2025-05-31T23:59:59.999Z')).toBe(4);
    expect(await count('2025-06-01T00:00:00.000Z')).toBe(2);
    expect(await count('2025-06-01T00:00:00.0001Z')).toBe(2);
    expect(await count('2025-06-01T00:00:00.001Z')).toBe(1);
    expect(await count('2025-06-01T02:00:00.000%2B02:00')).toBe(2);
    expect(await count('2025-05-31T18:30:00.000-05:30')).toBe(2);
    expect(await count('2026-01-01T00:00:00Z')).toBe(0);
  });

  it('since with the valued_at of a valuation returns exactly the newer ones', async () => {
    const { body } = await partner.get(list);
    for (const [index, { valued_at }] of body.data.entries()) {
      const newer = body.data.filter((other: { valued_at: string }) => other.valued_at > valued_at);
      expect((await partner.get(`${list}?since=${valued_at}`)).body.data).toHaveLength(newer.length);
      expect(newer.length).toBeLessThanOrEqual(index);
    }
  });

  it('pages by number and by cursor give every valuation once', async () => {
    const all = idsOf(await partner.get(list));
    const pages = await Promise.all([1, 2, 3].map((page) => partner.get(`${list}?page_size=2&page=${page}`)));
    expect(pages.flatMap(idsOf)).toEqual(all);
    const found: string[] = [];
    let cursor = '';
    do {
      const response: Response = await partner.get(`${list}?page_size=2${cursor && `&cursor=${cursor}`}`);
      found.push(...idsOf(response));
      cursor = response.body.pagination.next_cursor;
    } while (cursor !== null);
    expect(found).toEqual(all);
    expect((await partner.get(`${list}?page_size=2&page=4`)).body.data).toEqual([]);
  });

  it('valuations of another asset are not listed', async () => {
    const other = await makeItem(gateway.database, partner.client);
    const id = await value('2026-02-01T00:00:00Z', 'appraisal', {}, other);
    expect(idsOf(await partner.get(list))).not.toContain(id);
    expect(idsOf(await partner.get(`/assets/${other.registryId}/valuations`))).toEqual([id]);
  });

  it('include=valuations gives the ten newest of each asset, in the same order', async () => {
    const rich = await makeItem(gateway.database, partner.client);
    for (let day = 10; day < 22; day++) await value(`2025-03-${day}T00:00:00Z`, 'appraisal', {}, rich);
    const ten = idsOf(await partner.get(`/assets/${rich.registryId}/valuations?page_size=10`));
    const one = await partner.get(`/assets/${rich.registryId}?include=valuations`);
    expect(idsOf({ ...one, body: { data: one.body.data.valuations } })).toEqual(ten);
    const { body } = await partner.get('/assets?include=valuations');
    const lengths = body.data.map(({ valuations }: { valuations: unknown[] }) => valuations.length);
    expect(lengths).toEqual([5, 1, 10]);
    expect(body.data[2].valuations).toEqual(one.body.data.valuations);
  });
});
