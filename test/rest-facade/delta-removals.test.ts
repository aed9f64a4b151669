// Guarantee: a delta reports every item that left the view since an instant, with the reason, and no other item.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AssetFilter } from '#core/asset-filter.ts';
import { changesSince, deltaScene, idsOf, removedOf, syncPoint } from '#test/support/delta.ts';
import { ENGINES } from '#test/support/engines.ts';
import type { TestGateway } from '#test/support/gateway.ts';
import { type Item, insert } from '#test/support/scenario.ts';

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
  const remove = ({ id }: Item) => run('delete from items where id = $1', id);

  describe('removals', () => {
    it('a deleted item is `deleted` under every filter that covered it', async () => {
      for (const filter of [
        () => ({ type: 'all' }),
        () => ({ type: 'category', categories: ['WT'] }),
        (items: Item[]) => ({ type: 'items', items: items.map(({ registryId }) => registryId) }),
        (_items: Item[], collection: string) => ({ type: 'collection', collection }),
      ] as ((items: Item[], collection: string) => AssetFilter)[]) {
        const { partner, items } = await deltaScene(gateway, filter);
        const since = await syncPoint(partner);
        const [first] = items as [Item];
        await remove(first);
        const delta = await changesSince(partner, since);
        expect(removedOf(delta)).toEqual([`${first.registryId} deleted`]);
        const [{ removed_at }] = delta.body.removed;
        expect(removed_at > since).toBe(true);
        expect(removedOf(await changesSince(partner, removed_at))).toEqual([]);
        expect(idsOf(delta)).not.toContain(first.id);
      }
    });

    it('an item out of the named categories is `out_of_scope`, and one moved between them is in data', async () => {
      const { partner, items } = await deltaScene(gateway, () => ({ type: 'category', categories: ['WT', 'JW'] }));
      const [first, second] = items as [Item, Item];
      const since = await syncPoint(partner);
      await recategorise(first, 'CN');
      await recategorise(second, 'JW');
      const delta = await changesSince(partner, since);
      expect(removedOf(delta)).toEqual([`${first.registryId} out_of_scope`]);
      expect(idsOf(delta)).toEqual([second.id]);
    });

    it('an item that leaves the named collection is `out_of_scope`, as are all items of a deleted one', async () => {
      const { partner, items, collection } = await deltaScene(gateway, (_items, id) => ({
        type: 'collection',
        collection: id,
      }));
      const [first, second] = items as [Item, Item];
      await insert(gateway.database, 'item_collections', { item_id: second.id, collection_id: collection });
      const since = await syncPoint(partner);
      await run('delete from item_collections where item_id = $1', first.id);
      expect(removedOf(await changesSince(partner, since))).toEqual([`${first.registryId} out_of_scope`]);
      await run('delete from collections where id = $1', collection);
      expect(removedOf(await changesSince(partner, since)).sort()).toEqual(
        [first, second].map(({ registryId }) => `${registryId} out_of_scope`).sort(),
      );
    });

    it('a returned item is in data only, and one that left twice is listed once with its first reason', async () => {
      const { partner, items } = await deltaScene(gateway, () => ({ type: 'category', categories: ['WT'] }));
      const [first, second, third] = items as [Item, Item, Item];
      const since = await syncPoint(partner);
      for (const category of ['CN', 'WT']) await recategorise(first, category);
      for (const category of ['CN', 'WT', 'PM']) await recategorise(second, category);
      await recategorise(third, 'CN');
      await remove(third);
      const delta = await changesSince(partner, since);
      expect(idsOf(delta)).toEqual([first.id]);
      expect(removedOf(delta)).toEqual([`${second.registryId} out_of_scope`, `${third.registryId} out_of_scope`]);
    });

    it('an item that was never in the view is not listed', async () => {
      const { partner, items } = await deltaScene(gateway, () => ({ type: 'category', categories: ['CN'] }));
      const [first, second] = items as [Item, Item];
      const since = await syncPoint(partner);
      await remove(first);
      await recategorise(second, 'JW');
      expect((await changesSince(partner, since)).body).toMatchObject({ data: [], removed: [] });
    });

    it('all removals are on the first page and none on later pages', async () => {
      const { partner, items } = await deltaScene(gateway);
      const since = await syncPoint(partner);
      const [first, second, third] = items as [Item, Item, Item];
      await rename(first);
      await rename(second);
      await remove(third);
      const page = await changesSince(partner, since, '&page_size=1');
      expect(removedOf(page)).toEqual([`${third.registryId} deleted`]);
      const { next_cursor } = page.body.pagination;
      for (const later of [`&page_size=1&cursor=${next_cursor}`, '&page_size=1&page=2'])
        expect((await changesSince(partner, since, later)).body.removed).toEqual([]);
    });
  });
});
