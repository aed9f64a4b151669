// Guarantee: two portfolios that differ only in items outside the asset filter give the same responses, deltas
// included.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AssetFilter } from '#core/asset-filter.ts';
import type { User } from '#repositories/users.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner } from '#test/support/partner.ts';
import { portrait } from '#test/support/portrait.ts';
import { furnish, type Item, insert, makeClient, makeItem } from '#test/support/scenario.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

interface Scene {
  client: User;
  inside: Item[];
  outside: Item[];
  collection: string;
  otherCollection: string;
}

/** Two watches in one collection; a painting, a book and a coin in another. */
async function scene(): Promise<Scene> {
  const { database } = gateway;
  const client = await makeClient(database);
  const inside = [await makeItem(database, client), await makeItem(database, client)];
  const outside: Item[] = [];
  for (const category of ['AR', 'BK', 'CN']) outside.push(await makeItem(database, client, { category }));
  const [collection, otherCollection] = await Promise.all(
    [inside, outside].map(async ([first, ...rest]) => {
      const { collectionId } = await furnish(database, client, first as Item);
      for (const { id } of rest)
        await insert(database, 'item_collections', { item_id: id, collection_id: collectionId });
      return collectionId;
    }),
  );
  return { client, inside, outside, collection: collection ?? '', otherCollection: otherCollection ?? '' };
}

const FILTERS: [string, (scene: Scene) => AssetFilter][] = [
  ['category', () => ({ type: 'category', categories: ['VH', 'WT'] })],
  ['items', ({ inside }) => ({ type: 'items', items: inside.map(({ registryId }) => registryId) })],
  ['collection', ({ collection }) => ({ type: 'collection', collection })],
];

/** Makes every kind of change to items outside the filter. */
async function changeOutside({ client, outside, otherCollection }: Scene): Promise<void> {
  const { database } = gateway;
  const [first, second, third] = outside.map(({ id }) => id);
  const run = (text: string, ...values: unknown[]) => database.query({ text, values });
  await run("update items set category = 'JW', title = 'Moved', market_value = 1 where id = $1", first);
  await run('delete from item_collections where item_id = $1', first);
  await run('delete from items where id = $1', second);
  await run('delete from documents where item_id = $1', third);
  await run("update collections set name = 'Renamed' where id = $1", otherCollection);
  const late = await makeItem(database, client, { category: 'GM' });
  await furnish(database, client, late);
  await run('delete from items where id = $1', late.id);
  await makeItem(database, client, { category: 'GM' });
  await run('delete from collections where id = $1', otherCollection);
}

describe.each(FILTERS)('under a filter of the type %s', (_type, filterOf) => {
  it('changes outside do not affect bodies, counts, totals, links, tags or deltas', async () => {
    const made = await scene();
    const partner = await makePartner(gateway, { client: made.client, filter: filterOf(made) });
    await gateway.database.query({ text: "update grants set view_changed_at = '2026-01-01', filter = filter" });
    await gateway.database.query({ text: "update users set populated_at = '2026-01-01'" });
    const since = new Date(Date.now() - 86_400_000).toISOString();
    const ids = made.inside.map(({ registryId }) => registryId);
    const before = await portrait(partner, ids, since);
    expect(before[`/assets?updated_since=${since}`]?.text).toContain('"full":false');
    expect(before['/portfolio/summary']?.text).toContain('"item_count":2');
    await changeOutside(made);
    expect(await portrait(partner, ids, since)).toEqual(before);
  });

  it('every item outside gets the same refusal', async () => {
    const made = await scene();
    const partner = await makePartner(gateway, { client: made.client, filter: filterOf(made) });
    for (const path of ['', '/valuations', '/documents', '?include=documents,valuations']) {
      const answers = await Promise.all(
        made.outside.map(({ registryId }) => partner.get(`/assets/${registryId}${path}`)),
      );
      const bare = answers.map(({ text, body }) => text.replace(body.error.request_id, '…'));
      expect(new Set(bare).size).toBe(1);
      expect(answers[0]?.body.error.code).toBe('asset_not_in_grant');
    }
  });
});

describe("under the filter 'all'", () => {
  it('changes of another client affect no response', async () => {
    const made = await scene();
    const partner = await makePartner(gateway, { client: made.client });
    const ids = [...made.inside, ...made.outside].map(({ registryId }) => registryId);
    const since = '2026-10-01T00:00:00.000Z';
    const before = await portrait(partner, ids, since);
    await changeOutside(await scene());
    expect(await portrait(partner, ids, since)).toEqual(before);
  });
});
