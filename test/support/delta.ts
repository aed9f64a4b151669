// Test support: delta sync as a partner does it, in a portfolio whose view is old enough for deltas.

import type { AssetFilter } from '#core/asset-filter.ts';
import type { TestGateway } from './gateway.ts';
import { makePartner, type Partner } from './partner.ts';
import { furnish, type Item, makeClient, makeItem, type Response } from './scenario.ts';

export interface DeltaScene {
  partner: Partner;
  items: Item[];
  collection: string;
}

/** Three watches, the first of them in a collection, seen through the filter for a month already. */
export async function deltaScene(
  gateway: TestGateway,
  filter: (items: Item[], collection: string) => AssetFilter = () => ({ type: 'all' }),
): Promise<DeltaScene> {
  const client = await makeClient(gateway.database);
  const items: Item[] = [];
  for (let count = 0; count < 3; count++) items.push(await makeItem(gateway.database, client));
  const { collectionId } = await furnish(gateway.database, client, items[0] as Item);
  const partner = await makePartner(gateway, { client, filter: filter(items, collectionId) });
  await settle(gateway, partner);
  return { partner, items, collection: collectionId };
}

/** Makes the grant and the client's first items a month old: what was synced since then can go on from there. */
export async function settle({ database }: Pick<TestGateway, 'database'>, { grant, client }: Partner): Promise<void> {
  const monthAgo = new Date(Date.now() - 30 * 86_400_000).toISOString();
  await database.query({ text: 'update grants set view_changed_at = $1 where id = $2', values: [monthAgo, grant.id] });
  await database.query({ text: 'update users set populated_at = $1 where id = $2', values: [monthAgo, client.id] });
}

// The horizon lies a little below the present: what was written just before it was read may come again.
const aLittleLater = () => new Promise((wake) => setTimeout(wake, 4));

/** `sync.as_of` of a list right now: after everything written before, before everything written from now on. */
export async function syncPoint(partner: Partner): Promise<string> {
  await aLittleLater();
  const { body } = await partner.get('/assets?page_size=1');
  await aLittleLater();
  return body.sync.as_of;
}

export const changesSince = (partner: Partner, since: string, query = ''): Promise<Response> =>
  partner.get(`/assets?updated_since=${since}${query}`);

export const idsOf = ({ body }: Response): string[] => body.data.map(({ id }: { id: string }) => id);

/** What a delta says has left: `registry id reason`. */
export const removedOf = ({ body }: Response): string[] =>
  body.removed.map(({ registry_id, reason }: Record<string, string>) => `${registry_id} ${reason}`);
