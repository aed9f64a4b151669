// Guarantee: a delta lists each item that changed or entered the view since an instant once, in the order of change.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changesSince, deltaScene, idsOf, syncPoint } from '#test/support/delta.ts';
import { ENGINES } from '#test/support/engines.ts';
import type { TestGateway } from '#test/support/gateway.ts';
import { type Item, insert, makeItem } from '#test/support/scenario.ts';

describe.each(ENGINES)('over $name', ({ start }) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await start();
  });
  afterAll(() => gateway.stop());

  const run = (text: string, ...values: unknown[]) => gateway.database.query({ text, values });
  const rename = ({ id }: Item) => run("update items set title = title || '!' where id = $1", id);
  const recategorise = ({ id }: Item, category: string) =>
    run('update items set category = $1 where id = $2', category, id);

  describe('a delta', () => {
    it('lists changed items in the order of change, then of id, and no others', async () => {
      const { partner, items } = await deltaScene(gateway);
      const [first, second, third] = items as [Item, Item, Item];
      const since = await syncPoint(partner);
      expect((await changesSince(partner, since)).body).toMatchObject({ data: [], removed: [], sync: { full: false } });
      await rename(third);
      await new Promise((wake) => setTimeout(wake, 3));
      await run("update items set notes = 'both' where id = any($1)", [second.id, first.id]);
      const delta = await changesSince(partner, since);
      const keys = delta.body.data.map(({ updated_at, id }: Record<string, string>) => `${updated_at} ${id}`);
      expect(keys).toEqual([...keys].sort());
      expect(idsOf(delta)[0]).toBe(third.id);
      expect(idsOf(delta).sort()).toEqual(items.map(({ id }) => id));
      expect(delta.body.pagination.total_items).toBe(3);
    });

    it('excludes an item whose updated_at equals updated_since', async () => {
      const { partner, items } = await deltaScene(gateway);
      const since = await syncPoint(partner);
      await rename(items[0] as Item);
      const [{ updated_at }] = (await changesSince(partner, since)).body.data;
      expect(idsOf(await changesSince(partner, updated_at))).toEqual([]);
      const before = new Date(Date.parse(updated_at) - 1).toISOString();
      expect(idsOf(await changesSince(partner, before))).toEqual([items[0]?.id]);
    });

    it('lists a new item, and is filtered by other parameters', async () => {
      const { partner } = await deltaScene(gateway);
      const since = await syncPoint(partner);
      const coin = await makeItem(gateway.database, partner.client, { category: 'CN', market_value: '5.00' });
      expect(idsOf(await changesSince(partner, since))).toEqual([coin.id]);
      expect(idsOf(await changesSince(partner, since, '&category=WT'))).toEqual([]);
      expect(idsOf(await changesSince(partner, since, '&min_value=6'))).toEqual([]);
      const { body } = await changesSince(partner, since, '&category=CN&max_value=5&include=documents');
      expect(body.data[0].documents).toEqual([]);
    });

    it('gives every change once along next, with the same as_of and full on all pages', async () => {
      const { partner, items } = await deltaScene(gateway);
      const since = await syncPoint(partner);
      for (const item of items) await rename(item);
      const found: string[] = [];
      const states = new Set<string>();
      let cursor: string | null = '';
      while (cursor !== null) {
        const page = await changesSince(partner, since, `&page_size=1${cursor && `&cursor=${cursor}`}`);
        found.push(...idsOf(page));
        states.add(JSON.stringify(page.body.sync));
        cursor = page.body.pagination.next_cursor;
      }
      expect(found).toEqual(items.map(({ id }) => id));
      expect(states.size).toBe(1);
    });

    it('of no instant is a full list without `removed`', async () => {
      const { partner } = await deltaScene(gateway);
      const { body } = await partner.get('/assets');
      expect(body.sync.full).toBe(true);
      expect(body).not.toHaveProperty('removed');
    });
  });

  describe('a delta', () => {
    it('lists an item that entered the named category or collection', async () => {
      const byCategory = await deltaScene(gateway, () => ({ type: 'category', categories: ['CN'] }));
      const since = await syncPoint(byCategory.partner);
      await recategorise(byCategory.items[1] as Item, 'CN');
      expect(idsOf(await changesSince(byCategory.partner, since))).toEqual([byCategory.items[1]?.id]);
      const byCollection = await deltaScene(gateway, (_items, collection) => ({ type: 'collection', collection }));
      const point = await syncPoint(byCollection.partner);
      const entering = { item_id: byCollection.items[2]?.id, collection_id: byCollection.collection };
      await insert(gateway.database, 'item_collections', entering);
      expect(idsOf(await changesSince(byCollection.partner, point))).toEqual([byCollection.items[2]?.id]);
    });
  });
});
