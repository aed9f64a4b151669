// Guarantee: a client lists and searches all of their own items, however many, and no others.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { codeOf } from '#test/support/portal.ts';
import { makeScene, type Scene } from '#test/support/portal-scene.ts';
import { QUERIES } from './operations-documents.ts';

/** So that a category has more than the 10,000 ids that a response may contain. */
const MANY = 20_000;

let gateway: TestGateway;
let scene: Scene;
beforeAll(async () => {
  gateway = await startGateway();
  scene = await makeScene(gateway);
  await gateway.database.query({
    text: `insert into items (id, registry_id, client_id, category, title)
      select 'itm_' || ulid, 'PTC-AR-' || ulid, $1, case when n % 4 = 0 then 'AR' else 'PM' end, 'Lot ' || n
      from (select n, '0' || lpad(n::text, 25, '0') as ulid from generate_series(1, $2::int) n) made`,
    values: [scene.here.client.id, MANY],
  });
  await gateway.database.query({ text: 'analyze items' });
}, 120_000);
afterAll(async () => {
  scene.portal.close();
  await gateway.stop();
});

type Item = { registryId: string; title: string };

const ask = (variables: object) => scene.here.asClient(QUERIES.ownItems, { first: 100, ...variables });

describe('own items', () => {
  it('are listed newest first, all of them by page', async () => {
    const first = await ask({});
    expect([first.totalItems, first.nodes.length, first.nodes[0].title]).toEqual([MANY + 1, 100, 'Here watch']);
    expect((await ask({ page: 2 })).nodes[0].title).toBe(`Lot ${MANY - 99}`);
    const last = await ask({ page: MANY / 100 + 1 });
    expect([last.nodes.length, last.nodes[0].title]).toEqual([1, 'Lot 1']);
    const past = await ask({ page: MANY / 100 + 2 });
    expect(past).toEqual({ nodes: [], totalItems: MANY + 1 });
  });

  it.each([
    ['part of the title, in any case', { search: ' lOT 17777 ' }, 1],
    ['a word that many titles share', { search: 'lot' }, MANY],
    ['part of the registry id', { search: `ptc-ar-${'0'.repeat(21)}12` }, 1_000],
    ['a wildcard of SQL, taken literally', { search: '%' }, 0],
    ['categories', { categories: ['AR'] }, MANY / 4],
    ['category and title', { categories: ['AR'], search: '7776' }, 2],
    ['an unknown category', { categories: ['XX'] }, 0],
    ['an unknown id', { registryIds: ['nonsense'] }, 0],
  ])('are found by %s', async (_what, variables, found) => {
    expect((await ask(variables)).totalItems).toBe(found);
  });

  it('are found by collection; another client’s collection looks like an empty one', async () => {
    const { here, there } = scene;
    const found = async (collection: string) => {
      const { nodes, totalItems } = await ask({ collection });
      const ids = await here.asClient(QUERIES.ownItemIds, { collection });
      return [totalItems, nodes.map(({ registryId }: Item) => registryId), ids];
    };
    expect(await found(here.collectionId)).toEqual([1, [here.item.registryId], [here.item.registryId]]);
    const empty = newId('collection');
    const text = `insert into collections (id, client_id, name) values ($1, $2, 'Empty')`;
    await gateway.database.query({ text, values: [empty, here.client.id] });
    for (const id of [there.collectionId, empty, newId('collection'), 'nonsense'])
      expect(await found(id)).toEqual([0, [], []]);
    await gateway.database.query({ text: 'delete from collections where id = $1', values: [empty] });
    const other = await here.asClient(QUERIES.ownItemIds, { collection: here.collectionId, categories: ['AR'] });
    expect(other).toEqual([]);
  });

  it('are found by id, without those of another client', async () => {
    const { here, there } = scene;
    const { nodes } = await ask({ registryIds: [here.item.registryId, there.item.registryId] });
    expect(nodes.map(({ registryId }: Item) => registryId)).toEqual([here.item.registryId]);
  });

  it('have their ids returned by filter, at most 10,000 at once', async () => {
    const ids = await scene.here.asClient(QUERIES.ownItemIds, { categories: ['PM'] });
    expect([ids.length, new Set(ids).size]).toEqual([10_000, 10_000]);
    const { nodes } = await ask({ categories: ['PM'] });
    expect(nodes.map(({ registryId }: Item) => registryId)).toEqual(ids.slice(0, 100));
    const { totalItems } = await ask({ registryIds: ids });
    expect(totalItems).toBe(10_000);
    const tooMany = Array.from({ length: 10_001 }, () => 'PTC-AR-1');
    expect(await codeOf(scene.here.asClient(QUERIES.ownItems, { registryIds: tooMany }))).toBe('invalid_parameter');
  });
});

it('collections and categories have their number of items', async () => {
  const { asClient, collectionId } = scene.here;
  expect(await asClient(QUERIES.ownCollections)).toEqual([{ id: collectionId, name: 'Family', itemCount: 1 }]);
  expect(await asClient(QUERIES.ownCategories)).toEqual([
    { code: 'AR', name: 'Art', itemCount: MANY / 4 },
    { code: 'PM', name: 'Precious metals', itemCount: (MANY / 4) * 3 },
    { code: 'WT', name: 'Watches', itemCount: 1 },
  ]);
});
