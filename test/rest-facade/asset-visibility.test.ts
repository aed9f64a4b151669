// Guarantee: an asset is returned, refused or not found, and "not found" is the same response for every reason.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId, registryId } from '#core/ids.ts';
import { expectError } from '#test/support/answers.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { furnish, type Item, makeClient, makeItem } from '#test/support/scenario.ts';

let gateway: TestGateway;
let partner: Partner;
let watch: Item;
let coin: Item;

beforeAll(async () => {
  gateway = await startGateway();
  const client = await makeClient(gateway.database);
  watch = await makeItem(gateway.database, client, { category: 'WT' });
  coin = await makeItem(gateway.database, client, { category: 'CN' });
  partner = await makePartner(gateway, { client, filter: { type: 'category', categories: ['WT'] } });
});
afterAll(() => gateway.stop());

const ENDPOINTS = ['', '?include=valuations,documents', '/valuations', '/documents'];

describe.each(ENDPOINTS)('GET /assets/{registry_id}%s', (endpoint) => {
  it('is 200 for an item inside the filter', async () => {
    expect((await partner.get(`/assets/${watch.registryId}${endpoint}`)).status).toBe(200);
  });

  it("is 403 asset_not_in_grant for the client's item outside it", async () => {
    expectError(await partner.get(`/assets/${coin.registryId}${endpoint}`), 403, 'asset_not_in_grant');
  });

  it('is the same 404 for every id that is not an item of this client', async () => {
    const { database } = gateway;
    const deleted = await makeItem(database, partner.client);
    await furnish(database, partner.client, deleted);
    await database.query({ text: 'delete from items where id = $1', values: [deleted.id] });
    const others = await makeItem(database, await makeClient(database));
    const sandbox = await makeItem(database, await makeClient(database, { environment: 'sandbox' }));
    const ids = [
      registryId('PTC', 'WT', newId('item')),
      deleted.registryId,
      others.registryId,
      sandbox.registryId,
      watch.registryId.replace('PTC', 'ABC'),
      watch.registryId.replace('-WT-', '-CN-'),
      watch.registryId.toLowerCase(),
      watch.registryId.slice(0, -1),
      `${watch.registryId}0`,
      watch.registryId.replaceAll('-', '_'),
      watch.id,
      'x',
      'x'.repeat(3_000),
    ];
    const answers = await Promise.all(ids.map((id) => partner.get(`/assets/${id}${endpoint}`)));
    for (const answer of answers) expectError(answer, 404, 'asset_not_found');
    const bare = answers.map(({ text, body }) => text.replace(body.error.request_id, '…'));
    expect(new Set(bare).size).toBe(1);
  });
});

describe('the registry id', () => {
  it('is unchanged when the category changes, and the item leaves and enters the view', async () => {
    const { database } = gateway;
    const item = await makeItem(database, partner.client, { category: 'WT' });
    await database.query({ text: "update items set category = 'CN' where id = $1", values: [item.id] });
    expectError(await partner.get(`/assets/${item.registryId}`), 403, 'asset_not_in_grant');
    await database.query({ text: "update items set category = 'CN' where id = $1", values: [watch.id] });
    await database.query({ text: "update items set category = 'WT' where id = $1", values: [coin.id] });
    const { body } = await partner.get(`/assets/${coin.registryId}`);
    expect(body.data).toMatchObject({ registry_id: coin.registryId, category: 'WT' });
    expect(coin.registryId).toMatch(/^PTC-CN-/);
    expect((await partner.get('/assets')).body.data.map(({ id }: Item) => id)).toEqual([coin.id]);
  });
});

describe('each filter', () => {
  it('admits the items that it names and no others', async () => {
    const { database } = gateway;
    const client = await makeClient(database);
    const items = await Promise.all(['WT', 'CN', 'AR'].map((category) => makeItem(database, client, { category })));
    const [first, second, third] = items.map(({ registryId }) => registryId) as [string, string, string];
    const { collectionId } = await furnish(database, client, items[2] as Item);
    for (const [filter, inside] of [
      [{ type: 'all' }, [first, second, third]],
      [{ type: 'category', categories: ['CN', 'WT'] }, [first, second]],
      [{ type: 'items', items: [third, first] }, [first, third]],
      [{ type: 'collection', collection: collectionId }, [third]],
    ] as const) {
      const { get } = await makePartner(gateway, { client, filter: structuredClone(filter) as never });
      const list = await get('/assets');
      expect(list.body.data.map((asset: { registry_id: string }) => asset.registry_id).sort()).toEqual(
        [...inside].sort(),
      );
      expect(list.body.pagination.total_items).toBe(inside.length);
      expect((await get('/portfolio/summary')).body.data.item_count).toBe(inside.length);
      for (const id of [first, second, third])
        expect((await get(`/assets/${id}`)).status).toBe((inside as readonly string[]).includes(id) ? 200 : 403);
    }
  });
});
