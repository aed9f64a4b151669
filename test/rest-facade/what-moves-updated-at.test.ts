// Guarantee: an item's updated_at moves when something is added to it or removed from it, and stays when a statement
// changes no value.
// guarantees/every-property-moves.test.ts covers changes in place, property by property.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { backdate, syncPoint } from '#test/support/delta.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { furnish, type Item, makeItem } from '#test/support/scenario.ts';

let gateway: TestGateway;
let partner: Partner;
let item: Item;
let sibling: Item;
let collection: string;

beforeAll(async () => {
  gateway = await startGateway();
  partner = await makePartner(gateway);
  item = await makeItem(gateway.database, partner.client);
  sibling = await makeItem(gateway.database, partner.client);
  ({ collectionId: collection } = await furnish(gateway.database, partner.client, item));
  await backdate(gateway, partner);
});
afterAll(() => gateway.stop());

/** The ids of the assets that the statement moves. $1 is the item, $2 the collection, $3 a new id. */
async function movedBy(statement: string, id = ''): Promise<string[]> {
  const since = await syncPoint(partner);
  const values = [item.id, collection, id];
  const used = values.filter((_value, index) => statement.includes(`$${index + 1}`));
  const text = statement.replace(/\$(\d)/g, (_all, number) => `$${used.indexOf(values[Number(number) - 1] ?? '') + 1}`);
  await gateway.database.query({ text, values: used });
  const { body } = await partner.get(`/assets?updated_since=${since}`);
  return body.data.map((asset: { id: string }) => asset.id);
}

describe('updated_at moves after', () => {
  it.each([
    'delete from item_collections where item_id = $1 and collection_id = $2',
    'insert into item_collections (item_id, collection_id) values ($1, $2)',
    "delete from valuations where item_id = $1 and source = 'appraisal'",
    "delete from documents where item_id = $1 and type = 'insurance_policy'",
    'delete from share_links where item_id = $1',
    'delete from collections where id = $2',
  ])('%s', async (statement) => {
    expect(await movedBy(statement)).toEqual([item.id]);
  });

  it.each([
    [
      "insert into valuations (id, item_id, source, amount, currency, valued_at) values ($3, $1, 'appraisal', 1, 'USD', now())",
      'valuation',
    ],
    ["insert into documents (id, item_id, type) values ($3, $1, 'other')", 'document'],
    ['insert into share_links (id, item_id) values ($3, $1)', 'share_link'],
  ] as const)('%s', async (statement, kind) => {
    expect(await movedBy(statement, newId(kind))).toEqual([item.id]);
  });

  it('another type of document is recommended for its category', async () => {
    const other = await makeItem(gateway.database, partner.client, { category: 'PM' });
    await backdate(gateway, partner);
    const recommend = `update categories set recommended_documents = recommended_documents || '{photograph}' where code = 'PM'`;
    expect(await movedBy(recommend)).toEqual([other.id]);
  });
});

describe('updated_at stays after', () => {
  it.each([
    'update items set title = title, market_value = market_value where id = $1',
    'update documents set title = title where item_id = $1',
    'update valuations set amount = amount where item_id = $1',
    'update categories set recommended_documents = recommended_documents',
  ])('%s', async (statement) => {
    const { updated_at } = (await partner.get(`/assets/${item.registryId}`)).body.data;
    expect(await movedBy(statement)).toEqual([]);
    expect((await partner.get(`/assets/${item.registryId}`)).body.data.updated_at).toBe(updated_at);
  });

  it('a change of another item', async () => {
    const { updated_at } = (await partner.get(`/assets/${item.registryId}`)).body.data;
    await gateway.database.query({ text: "update items set title = 'Other' where id = $1", values: [sibling.id] });
    expect((await partner.get(`/assets/${item.registryId}`)).body.data.updated_at).toBe(updated_at);
  });
});

describe("a document's own updated_at", () => {
  it('moves when the document changes, and not when its file moves', async () => {
    const read = async () => (await partner.get(`/assets/${item.registryId}/documents`)).body.data[0];
    const before = await read();
    await gateway.database.query({ text: "update documents set file_path = '/moved'" });
    expect(await read()).toEqual(before);
    await gateway.database.query({ text: "update documents set issuer = 'Another'" });
    expect((await read()).updated_at > before.updated_at).toBe(true);
  });
});
