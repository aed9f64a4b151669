// Imports into a database with data: repeated files, the time of an item, deletions and moves.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asset, collection, document, idOf, ONE_OF_EACH, openScene, type Scene, valuation } from './scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.close());

const FILES_TIME = '2024-05-01T10:00:00.000Z';

const timeOf = async (id = asset.id): Promise<string> =>
  (await scene.rows('select updated_at from items where id = $1', [id]))[0].updated_at;
const changes = async (): Promise<number> => (await scene.rows('select count(*) from item_changes'))[0].count;
const now = async (): Promise<string> => (await scene.rows('select now_ms() as now'))[0].now;

describe('a repeated import of a directory', () => {
  it('writes no row and records no change', async () => {
    const files = {
      ...ONE_OF_EACH,
      assets: [
        {
          ...asset,
          collection_ids: [collection.id],
          category_fields: { brand: 'Rolex', year: 1999 },
          share_links: [{ id: idOf('shl', 1), token: 't', expires_at: '2027-01-01T00:00:00+02:00' }],
          verification: { scans: [{ scanned_at: '2024-01-01T00:00:00Z', method: 'nfc', result: 'match' }] },
          internal_notes: 'p0',
        },
      ],
    };
    await scene.load(files);
    const tables = [
      'firms',
      'users',
      'items',
      'collections',
      'item_collections',
      'share_links',
      'valuations',
      'documents',
    ];
    const state = () => Promise.all(tables.map((table) => scene.rows(`select xmin, * from ${table}`)));
    const before = await state();
    const counts = await scene.load(files);
    expect(await state()).toEqual(before);
    expect(await changes()).toBe(0);
    for (const { inserted, updated, unchanged } of Object.values(counts))
      expect({ inserted, updated, unchanged }).toEqual({ inserted: 0, updated: 0, unchanged: 1 });
  });
});

describe('the time of an item', () => {
  it("is the file's if the client had no items before, for every row of the file", async () => {
    await scene.load({ ...ONE_OF_EACH, assets: [asset, { ...asset, id: idOf('itm', 2) }] });
    expect([await timeOf(), await timeOf(idOf('itm', 2))]).toEqual([FILES_TIME, FILES_TIME]);
  });

  it("is the import's if the client has had items, even if all are deleted", async () => {
    await scene.load(ONE_OF_EACH);
    await scene.load({ assets: [{ id: asset.id, deleted_at: FILES_TIME }] });
    const before = await now();
    await scene.load({ assets: [{ ...asset, id: idOf('itm', 2) }] });
    expect((await timeOf(idOf('itm', 2))) >= before).toBe(true);
  });

  it("is the file's if that is later than the import's", async () => {
    await scene.load(ONE_OF_EACH);
    const updated_at = '2099-01-01T00:00:00.000Z';
    await scene.load({
      assets: [
        { ...asset, title: 'Other', updated_at },
        { ...asset, id: idOf('itm', 2), updated_at },
      ],
    });
    expect([await timeOf(), await timeOf(idOf('itm', 2))]).toEqual([updated_at, updated_at]);
  });

  it('stays if only P0 fields changed, or only the time in the file', async () => {
    await scene.load(ONE_OF_EACH);
    const counts = await scene.load({
      assets: [{ ...asset, internal_notes: 'p0', updated_at: '2024-09-01T00:00:00Z' }],
      documents: [{ ...document, file_path: '/p0' }],
    });
    expect(counts.assets).toMatchObject({ updated: 1 });
    expect([await timeOf(), await changes()]).toEqual([FILES_TIME, 0]);
    expect(await scene.rows('select internal_notes, file_path from items, documents')).toEqual([
      { internal_notes: 'p0', file_path: '/p0' },
    ]);
  });

  const MOVES: [string, Parameters<Scene['load']>[0]][] = [
    ['a field', { assets: [{ ...asset, title: 'Other' }] }],
    ['a collection joined', { assets: [{ ...asset, collection_ids: [collection.id] }] }],
    ['a share link', { assets: [{ ...asset, share_links: [{ id: idOf('shl', 1) }] }] }],
    ['a new valuation', { valuations: [{ ...valuation, id: idOf('val', 2) }] }],
    ['a changed valuation', { valuations: [{ ...valuation, appraiser: 'B' }] }],
    ['a deleted document', { documents: [{ id: document.id, deleted_at: FILES_TIME }] }],
    [
      'a new document, beside a change of P0 fields only',
      {
        assets: [{ ...asset, internal_notes: 'p0' }],
        documents: [{ ...document, id: idOf('doc', 2) }],
      },
    ],
  ];
  it.each(MOVES)('moves with %s', async (_name, files) => {
    await scene.load(ONE_OF_EACH);
    const before = await now();
    await scene.load(files);
    expect((await timeOf()) >= before).toBe(true);
    expect(await changes()).toBe(1);
  });
});

describe('a deletion', () => {
  it('deletes an item with all that belongs to it, and later imports restore none of it', async () => {
    await scene.load({ ...ONE_OF_EACH, assets: [{ ...asset, collection_ids: [collection.id] }] });
    const counts = await scene.load({ assets: [{ id: asset.id, deleted_at: FILES_TIME }] });
    expect(counts.assets).toMatchObject({ deleted: 1 });
    const again = await scene.load({ ...ONE_OF_EACH, documents: [{ ...document, id: idOf('doc', 2) }] });
    expect(
      [again.assets, again.valuations, again.documents].map(({ skipped, inserted }) => [skipped, inserted]),
    ).toEqual([
      [1, 0],
      [1, 0],
      [1, 0],
    ]);
    expect(
      await scene.rows('select id from items union select id from valuations union select id from documents'),
    ).toEqual([]);
    expect(await scene.rows('select kind, collections from removals')).toEqual([
      { kind: 'deleted', collections: [collection.id] },
    ]);
  });

  it('of an unknown id is no fault, and later imports do not insert that id', async () => {
    const deletions = { valuations: [{ id: valuation.id, deleted_at: FILES_TIME }] };
    await scene.load(deletions);
    expect((await scene.load(ONE_OF_EACH)).valuations).toMatchObject({ inserted: 0, skipped: 1 });
  });

  it('of a collection leaves its items, also those that still refer to it', async () => {
    await scene.load({ ...ONE_OF_EACH, assets: [{ ...asset, collection_ids: [collection.id] }] });
    await scene.load({
      collections: [{ id: collection.id, deleted_at: FILES_TIME }],
      assets: [{ ...asset, collection_ids: [collection.id] }],
    });
    expect(await scene.rows('select id from items')).toEqual([{ id: asset.id }]);
    expect(await scene.rows('select * from item_collections')).toEqual([]);
  });

  it('of an item and its collection together is recorded for the item, and no item joins the collection', async () => {
    const other = { ...asset, id: idOf('itm', 2) };
    await scene.load({ ...ONE_OF_EACH, assets: [{ ...asset, collection_ids: [collection.id] }, other] });
    await scene.load({
      collections: [{ id: collection.id, deleted_at: FILES_TIME }],
      assets: [
        { id: asset.id, deleted_at: FILES_TIME },
        { ...other, collection_ids: [collection.id] },
      ],
    });
    expect(await scene.rows('select item_id, kind, collections from removals')).toEqual([
      { item_id: asset.id, kind: 'deleted', collections: [collection.id] },
    ]);
    expect(await changes()).toBe(0);
  });
});

describe('a valuation or document that moves to another item', () => {
  const next = { ...asset, id: idOf('itm', 2) };
  const moved = {
    valuations: [{ ...valuation, asset_id: next.id }],
    documents: [{ ...document, asset_id: next.id }],
  };
  const owners = () => scene.rows('select item_id from valuations union all select item_id from documents');

  it.each([
    ['an existing item', true],
    ['an item of the same import', false],
  ])('stays if its former item is deleted in the same import: to %s', async (_name, isThere) => {
    await scene.load({
      ...ONE_OF_EACH,
      assets: isThere ? [asset, next] : [asset],
      valuations: [valuation, { ...valuation, id: idOf('val', 2) }],
    });
    const counts = await scene.load({ assets: [{ id: asset.id, deleted_at: FILES_TIME }, next], ...moved });
    expect(counts.assets).toMatchObject({ deleted: 1 });
    for (const kind of ['valuations', 'documents'] as const)
      expect(counts[kind]).toMatchObject({ updated: 1, skipped: 0 });
    expect(await owners()).toEqual([{ item_id: next.id }, { item_id: next.id }]);
    expect(await scene.rows('select id from items')).toEqual([{ id: next.id }]);
  });

  it('is deleted if its new item is deleted, too', async () => {
    await scene.load({ ...ONE_OF_EACH, assets: [asset, next] });
    const counts = await scene.load({
      assets: [asset, next].map(({ id }) => ({ id, deleted_at: FILES_TIME })),
      ...moved,
    });
    expect(counts.valuations).toMatchObject({ updated: 0, skipped: 1 });
    expect(await owners()).toEqual([]);
  });
});

describe('collections of an item', () => {
  it('are replaced as a set, and only differences are recorded', async () => {
    const second = { ...collection, id: idOf('col', 2) };
    const third = { ...collection, id: idOf('col', 3) };
    const collections = [collection, second, third];
    await scene.load({
      ...ONE_OF_EACH,
      collections,
      assets: [{ ...asset, collection_ids: [collection.id, second.id] }],
    });
    await scene.load({ assets: [{ ...asset, collection_ids: [third.id, second.id, third.id] }] });
    const rows = await scene.rows('select collection_id from item_collections order by 1');
    expect(rows.map(({ collection_id }) => collection_id)).toEqual([second.id, third.id]);
    expect(await scene.rows('select kind, collections from removals')).toEqual([
      { kind: 'collection', collections: [collection.id] },
    ]);
  });
});

it('a change of 20,000 items is recorded once for each', async () => {
  const many = (title: string) =>
    Array.from({ length: 20_000 }, (_, index) => ({ ...asset, id: idOf('itm', 1 + index), title }));
  await scene.load({ ...ONE_OF_EACH, assets: many('Before') });
  expect((await scene.load({ assets: many('After') })).assets).toMatchObject({ updated: 20_000 });
  expect(await changes()).toBe(20_000);
});
