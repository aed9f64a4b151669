// Test support: delta sync, in a portfolio whose view is old enough for deltas.

import type { AssetFilter } from '#core/asset-filter.ts';
import type { TestGateway } from './gateway.ts';
import { makePartner, type Partner } from './partner.ts';
import { furnish, type Item, makeClient, makeItem, type Response } from './scenario.ts';

export interface DeltaScene {
  partner: Partner;
  items: Item[];
  collection: string;
}

/** Three watches, the first of them in a collection, and a grant with the filter that is a month old. */
export async function deltaScene(
  gateway: TestGateway,
  filter: (items: Item[], collection: string) => AssetFilter = () => ({ type: 'all' }),
): Promise<DeltaScene> {
  const client = await makeClient(gateway.database);
  const items: Item[] = [];
  for (let count = 0; count < 3; count++) items.push(await makeItem(gateway.database, client));
  const { collectionId } = await furnish(gateway.database, client, items[0] as Item);
  const partner = await makePartner(gateway, { client, filter: filter(items, collectionId) });
  await backdate(gateway, partner);
  return { partner, items, collection: collectionId };
}

/** Makes the grant and the client's first items a month old, so that delta sync can begin at any later time. */
export async function backdate({ database }: Pick<TestGateway, 'database'>, { grant, client }: Partner): Promise<void> {
  const monthAgo = new Date(Date.now() - 30 * 86_400_000).toISOString();
  await database.query({ text: 'update grants set view_changed_at = $1 where id = $2', values: [monthAgo, grant.id] });
  await database.query({ text: 'update users set populated_at = $1 where id = $2', values: [monthAgo, client.id] });
}

// The horizon is a few milliseconds in the past: rows written just before a response are repeated in the next delta.
const waitForHorizon = () => new Promise((wake) => setTimeout(wake, 4));

/** The `sync.as_of` of a list: after all earlier writes, before all later ones. */
export async function syncPoint(partner: Partner): Promise<string> {
  await waitForHorizon();
  const { body } = await partner.get('/assets?page_size=1');
  await waitForHorizon();
  return body.sync.as_of;
}

export const changesSince = (partner: Partner, since: string, query = ''): Promise<Response> =>
  partner.get(`/assets?updated_since=${since}${query}`);

export const idsOf = ({ body }: Response): string[] => body.data.map(({ id }: { id: string }) => id);

/** The removals of a delta, as `<registry id> <reason>`. */
export const removedOf = ({ body }: Response): string[] =>
  body.removed.map(({ registry_id, reason }: Record<string, string>) => `${registry_id} ${reason}`);
