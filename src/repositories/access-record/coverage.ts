// Repositories: whether a grant covered an item when a call was made, for calls of whose answers no items are recorded.
import type { AssetFilter } from '#core/asset-filter.ts';
import type { Sql } from '#database/database.ts';
import { GRANT_ENDED_AT } from '../status-sql.ts';

/** By how much clocks of gateways and of the database may differ. */
const LEEWAY_MS = 60_000;

/** Whether the item may have been in the answer to a call of this key, made then (RFC 3339). */
export type Covered = (call: { keyId: string; at: string }) => boolean;

interface Span {
  /** Unix milliseconds; null: open. */
  from: number | null;
  until: number | null;
}

interface GrantTold extends Span {
  keyIds: string[];
  filter: AssetFilter;
  /** Filters that it was given, in order, and when. */
  given: { at: number; filter: AssetFilter }[];
}

interface ItemTold extends Span {
  /** Categories that it is known to have been in. */
  categories: string[];
}

/**
 * By the grants of the client, as their events tell them, and by what is known of the item. What is no longer known counts
 * as covered: collections that it was in, when a deleted item was written, grants that are gone.
 */
export async function readCoverage(sql: Sql, clientId: string, registryId: string): Promise<Covered> {
  const [grants, item] = await Promise.all([readGrants(sql, clientId), readItem(sql, clientId, registryId)]);
  return ({ keyId, at }) => {
    const instant = Date.parse(at);
    if (!isWithin(item, instant)) return false;
    const ofKey = grants.filter(({ keyIds }) => keyIds.includes(keyId));
    const filters = ofKey.filter((grant) => isWithin(grant, instant)).flatMap((grant) => filtersAt(grant, instant));
    return ofKey.length === 0 || filters.some((filter) => mayHold(filter, registryId, item));
  };
}

const isWithin = ({ from, until }: Span, instant: number): boolean =>
  (from === null || from <= instant + LEEWAY_MS) && (until === null || until >= instant - LEEWAY_MS);

/** Those in force then, give or take the leeway. */
function filtersAt({ filter, given }: GrantTold, instant: number): AssetFilter[] {
  if (given.length === 0) return [filter];
  return given
    .filter((_, nth) =>
      isWithin({ from: nth === 0 ? null : (given[nth]?.at ?? null), until: given[nth + 1]?.at ?? null }, instant),
    )
    .map((each) => each.filter);
}

function mayHold(filter: AssetFilter, registryId: string, { categories }: ItemTold): boolean {
  switch (filter.type) {
    case 'all':
    case 'collection':
      return true;
    case 'category':
      return filter.categories.some((category) => categories.includes(category));
    case 'items':
      return filter.items.includes(registryId);
    default:
      return filter satisfies never;
  }
}

const unixMs = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;

function readGrants(sql: Sql, clientId: string): Promise<GrantTold[]> {
  return sql.query<GrantTold>({
    text: `select ${unixMs('g.activated_at')} as "from", ${unixMs(GRANT_ENDED_AT)} as until, g.filter,
        array(select k.id from api_keys k where k.lineage_id = g.lineage_id) as "keyIds",
        (select coalesce(json_agg(json_build_object('at', ${unixMs('e.at')}, 'filter', e.details -> 'filter') order by e.at, e.id), '[]')
          from grant_events e where e.grant_id = g.id and e.details ? 'filter') as given
      from grants g where g.client_id = $1 and g.activated_at is not null`,
    values: [clientId],
  });
}

async function readItem(sql: Sql, clientId: string, registryId: string): Promise<ItemTold> {
  const [item] = await sql.query<ItemTold>({
    text: `select ${unixMs('i.created_at')} as "from", ${unixMs('d.deleted_at')} as until,
        array(select i.category where i.id is not null union select split_part($2, '-', 2)
          union select r.category from removals r where r.client_id = $1 and r.registry_id = $2 and r.category is not null) as categories
      from (values (1)) one
      left join items i on i.registry_id = $2 and i.client_id = $1
      left join deleted_items d on d.registry_id = $2 and d.client_id = $1`,
    values: [clientId, registryId],
  });
  return item ?? { from: null, until: null, categories: [] };
}
