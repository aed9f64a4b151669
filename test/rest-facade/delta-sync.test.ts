// Guarantee: a delta holds what changed, entered or left the view since an instant, and says when it is the whole view.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AssetFilter } from '#core/asset-filter.ts';
import { changeGrant, revokeGrant } from '#data/repositories/grants.ts';
import { changesSince, idsOf, removedOf, settle, syncPoint } from '#test/support/delta.ts';
import { ENGINES } from '#test/support/engines.ts';
import type { TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { furnish, type Item, insert, makeClient, makeGrant, makeItem } from '#test/support/scenario.ts';

const operator = { kind: 'operator', id: 'test' } as const;

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

  interface Scene {
    partner: Partner;
    items: Item[];
    collection: string;
  }

  /** Three watches, the first of them in a collection, seen through the filter. */
  async function scene(
    filter: (items: Item[], collection: string) => AssetFilter = () => ({ type: 'all' }),
  ): Promise<Scene> {
    const client = await makeClient(gateway.database);
    const items: Item[] = [];
    for (let count = 0; count < 3; count++) items.push(await makeItem(gateway.database, client));
    const { collectionId } = await furnish(gateway.database, client, items[0] as Item);
    const partner = await makePartner(gateway, { client, filter: filter(items, collectionId) });
    await settle(gateway, partner);
    return { partner, items, collection: collectionId };
  }

  describe('what changed', () => {
    it('comes in the order of change, then of id, and nothing else does', async () => {
      const { partner, items } = await scene();
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

    it('exclusive: an item whose updated_at is the instant itself does not come', async () => {
      const { partner, items } = await scene();
      const since = await syncPoint(partner);
      await rename(items[0] as Item);
      const [{ updated_at }] = (await changesSince(partner, since)).body.data;
      expect(idsOf(await changesSince(partner, updated_at))).toEqual([]);
      const before = new Date(Date.parse(updated_at) - 1).toISOString();
      expect(idsOf(await changesSince(partner, before))).toEqual([items[0]?.id]);
    });

    it('a new item comes, and other parameters narrow as ever', async () => {
      const { partner } = await scene();
      const since = await syncPoint(partner);
      const coin = await makeItem(gateway.database, partner.client, { category: 'CN', market_value: '5.00' });
      expect(idsOf(await changesSince(partner, since))).toEqual([coin.id]);
      expect(idsOf(await changesSince(partner, since, '&category=WT'))).toEqual([]);
      expect(idsOf(await changesSince(partner, since, '&min_value=6'))).toEqual([]);
      const { body } = await changesSince(partner, since, '&category=CN&max_value=5&include=documents');
      expect(body.data[0].documents).toEqual([]);
    });

    it('a walk along next gives every change once, with the same as_of and full all the way', async () => {
      const { partner, items } = await scene();
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

    it('a plain list says as_of and full, and has no `removed`', async () => {
      const { partner } = await scene();
      const { body } = await partner.get('/assets');
      expect(body.sync.full).toBe(true);
      expect(body).not.toHaveProperty('removed');
    });
  });

  describe('what left', () => {
    it('a deleted item is `deleted`, under every filter that had it', async () => {
      for (const filter of [
        () => ({ type: 'all' }),
        () => ({ type: 'category', categories: ['WT'] }),
        (items: Item[]) => ({ type: 'items', items: items.map(({ registryId }) => registryId) }),
        (_items: Item[], collection: string) => ({ type: 'collection', collection }),
      ] as ((items: Item[], collection: string) => AssetFilter)[]) {
        const { partner, items } = await scene(filter);
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

    it('moved out of a named category it is `out_of_scope`; between two named ones it is in data', async () => {
      const { partner, items } = await scene(() => ({ type: 'category', categories: ['WT', 'JW'] }));
      const [first, second] = items as [Item, Item];
      const since = await syncPoint(partner);
      await recategorise(first, 'CN');
      await recategorise(second, 'JW');
      const delta = await changesSince(partner, since);
      expect(removedOf(delta)).toEqual([`${first.registryId} out_of_scope`]);
      expect(idsOf(delta)).toEqual([second.id]);
    });

    it('taken out of the named collection it is `out_of_scope`; so are all when the collection is deleted', async () => {
      const { partner, items, collection } = await scene((_items, id) => ({ type: 'collection', collection: id }));
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

    it('out and back in again is in data only; out twice is told once; gone after leaving is what it was first', async () => {
      const { partner, items } = await scene(() => ({ type: 'category', categories: ['WT'] }));
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

    it('what never was in the view is not told of', async () => {
      const { partner, items } = await scene(() => ({ type: 'category', categories: ['CN'] }));
      const [first, second] = items as [Item, Item];
      const since = await syncPoint(partner);
      await remove(first);
      await recategorise(second, 'JW');
      expect((await changesSince(partner, since)).body).toMatchObject({ data: [], removed: [] });
    });

    it('stands on the first page, all of it, and on no later one', async () => {
      const { partner, items } = await scene();
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

  describe('what entered', () => {
    it('an item moved into the named category or collection is in data', async () => {
      const byCategory = await scene(() => ({ type: 'category', categories: ['CN'] }));
      const since = await syncPoint(byCategory.partner);
      await recategorise(byCategory.items[1] as Item, 'CN');
      expect(idsOf(await changesSince(byCategory.partner, since))).toEqual([byCategory.items[1]?.id]);
      const byCollection = await scene((_items, collection) => ({ type: 'collection', collection }));
      const point = await syncPoint(byCollection.partner);
      const entering = { item_id: byCollection.items[2]?.id, collection_id: byCollection.collection };
      await insert(gateway.database, 'item_collections', entering);
      expect(idsOf(await changesSince(byCollection.partner, point))).toEqual([byCollection.items[2]?.id]);
    });
  });

  describe('the whole view is given', () => {
    const expectFull = async (partner: Partner, since: string, full: boolean) => {
      const { body } = await changesSince(partner, since);
      expect(body.sync.full).toBe(full);
      expect(body.data).toHaveLength(full ? 3 : 0);
      expect(body.removed).toEqual([]);
    };

    it.each([
      ['scopes', { scopes: 1 }],
      ['filter', { filter: { type: 'category' as const, categories: ['WT'] } }],
    ])('after the %s of the grant changed, until the next sync', async (_what, terms) => {
      const { partner } = await scene();
      const since = await syncPoint(partner);
      await expectFull(partner, since, false);
      await changeGrant(gateway.database, partner.grant.id, terms, operator);
      await expectFull(partner, since, true);
      await new Promise((wake) => setTimeout(wake, 5));
      await expectFull(partner, await syncPoint(partner), false);
    });

    it('not after its expiry changed', async () => {
      const { partner } = await scene();
      const since = await syncPoint(partner);
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      await changeGrant(gateway.database, partner.grant.id, { expiresAt }, operator);
      await expectFull(partner, since, false);
    });

    it('after the grant was revoked and given again', async () => {
      const { partner } = await scene();
      const since = await syncPoint(partner);
      await revokeGrant(gateway.database, partner.grant.id, operator);
      await makeGrant(gateway.database, partner.key, partner.client);
      await expectFull(partner, since, true);
    });

    it('for a point beyond 90 days, and not for one within', async () => {
      const { partner } = await scene();
      await run("update grants set view_changed_at = now() - interval '200 days' where id = $1", partner.grant.id);
      await run("update users set populated_at = now() - interval '200 days' where id = $1", partner.client.id);
      const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
      expect((await changesSince(partner, daysAgo(89.9))).body.sync.full).toBe(false);
      expect((await changesSince(partner, daysAgo(91))).body.sync.full).toBe(true);
      expect((await changesSince(partner, '0001-01-01T00:00:00Z')).body.data).toHaveLength(3);
    });
  });
});
