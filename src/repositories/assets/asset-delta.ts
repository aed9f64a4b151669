// Repositories: delta sync: items that entered or changed in a view since an instant, and items that left it.
import type { AssetFilter } from '#core/asset-filter.ts';
import type { PortfolioView } from '#core/principal.ts';
import { Bindings } from '#database/bindings.ts';
import type { Sql } from '#database/database.ts';
import type { Asset, AssetRow } from './asset-row.ts';
import { insideFilter } from './asset-sql.ts';
import {
  type AssetQuery,
  countOf,
  type ItemConditions,
  matching,
  type Page,
  readPage,
  type Slice,
  sliceOf,
  toPage,
  totalOf,
} from './assets.ts';

export interface DeltaPage extends Page<Asset> {
  /** Transactions visible to this page. Later pages of the walk keep the order of this snapshot. */
  snapshot: string;
  /** Database epoch in which the snapshot is valid. */
  epoch: string;
}

export interface Removal {
  registryId: string;
  removedAt: string;
  reason: 'deleted' | 'out_of_scope';
  /** Number of the item in the access record; null if it was removed before items had numbers. */
  number: number | null;
}

/** A page by offset, ordered by (updated_at, id). `since` null means the whole view. */
export async function firstDeltaPage(
  sql: Sql,
  view: PortfolioView,
  query: AssetQuery,
  since: string | null,
  slice: Slice,
): Promise<DeltaPage> {
  const bindings = new Bindings();
  const conditions = changedSince(matching(view, query, bindings), since, bindings);
  const total = since === null ? totalOf(view, query, conditions, bindings) : countOf(conditions);
  const changed = `select i.id, i.updated_at as sort_key from items i where ${conditions.inOrder} order by i.updated_at, i.id`;
  const page = sliceOf(changed, 'sort_key, id', slice, bindings);
  const { snapshot, epoch, ...found } = await readPage(sql, view, {
    ...{ page, order: CHANGE_ORDER, epoch: true, total, bindings },
  });
  return { ...toPage(found, view, slice, sortKey), snapshot, epoch };
}

/**
 * A later page of a walk, after the key (updated_at, id), in the order of the first page's snapshot. An item changed by
 * a transaction outside that snapshot keeps its former position, so that it is neither repeated nor missed.
 */
export async function nextDeltaPage(
  sql: Sql,
  view: PortfolioView,
  query: AssetQuery,
  since: string | null,
  slice: { size: number; after: string[] },
  snapshot: string,
): Promise<Page<Asset>> {
  const bindings = new Bindings();
  const base = matching(view, query, bindings);
  const conditions = changedSince(base, since, bindings);
  const client = bindings.add(view.clientId);
  const snapshotParameter = bindings.add(snapshot);
  const position = `(${bindings.add(slice.after[0])}, ${bindings.add(slice.after[1])})`;
  const firstOf = (ordered: string) => sliceOf(ordered, 'sort_key, id', slice, bindings);
  const atPresentPosition = `select i.id, i.updated_at as sort_key from items i
    where ${conditions.inOrder} and (i.updated_at, i.id) > ${position} and i.id not in (select item_id from moved)
    order by i.updated_at, i.id`;
  const changedBefore = since === null ? '' : `and m.previous_updated_at > ${bindings.add(since)}`;
  const atFormerPosition = `select i.id, m.previous_updated_at as sort_key from moved m join items i on i.id = m.item_id
    where ${base.inOrder} ${changedBefore} and (m.previous_updated_at, i.id) > ${position}
    order by m.previous_updated_at, i.id`;
  const page = `
  with moved as materialized (
    select distinct on (item_id) item_id, previous_updated_at
    from item_changes
    where client_id = ${client} and xid >= pg_snapshot_xmin(${snapshotParameter}) and not pg_visible_in_snapshot(xid, ${snapshotParameter})
    order by item_id, id)
  ${firstOf(`(${firstOf(atPresentPosition)}) union all (${firstOf(atFormerPosition)}) order by sort_key, id`)}`;
  const total = since === null ? totalOf(view, query, base, bindings) : countOf(conditions);
  const found = await readPage(sql, view, { page, order: CHANGE_ORDER, total, bindings });
  return toPage(found, view, slice, sortKey);
}

const CHANGE_ORDER = 'page.sort_key, page.id';
const sortKey = (row: AssetRow): string[] => [row.sort_key, row.id];

function changedSince({ inOrder, counted }: ItemConditions, since: string | null, bindings: Bindings): ItemConditions {
  if (since === null) return { inOrder, counted };
  const changed = `i.updated_at > ${bindings.add(since)}`;
  return { inOrder: `${inOrder} and ${changed}`, counted: `${counted} and ${changed}` };
}

/** Items that left the view after `since`, each once, in the order of leaving. */
export function listRemovals(sql: Sql, view: PortfolioView, since: string): Promise<Removal[]> {
  const bindings = new Bindings();
  const inView = `exists (select from items i where i.id = r.item_id and ${insideFilter(view.filter, bindings)})`;
  const text = `
select registry_id as "registryId", removed_at as "removedAt",
  case kind when 'deleted' then 'deleted' else 'out_of_scope' end as reason, coalesce(
  (select i.number from items i where i.registry_id = latest.registry_id),
  (select d.number from deleted_items d where d.registry_id = latest.registry_id)) as number
from (
  select distinct on (r.item_id) r.item_id, r.registry_id, r.removed_at, r.kind from removals r
  where r.client_id = ${bindings.add(view.clientId)} and r.removed_at > ${bindings.add(since)}
    and (${leftFilter(view.filter, bindings)}) and not ${inView}
  order by r.item_id, r.removed_at desc, r.id desc) latest
order by removed_at, registry_id`;
  return sql.query<Removal>({ text, values: bindings.values, prepare: true });
}

/** SQL that is true for removals `r` of items that were inside the filter before. */
function leftFilter(filter: AssetFilter, bindings: Bindings): string {
  switch (filter.type) {
    case 'all':
      return "r.kind = 'deleted'";
    case 'category':
      return `r.kind in ('deleted', 'category') and r.category = any(${bindings.add(filter.categories)}::text[])`;
    case 'items':
      return `r.kind = 'deleted' and r.registry_id = any(${bindings.add(filter.items)}::text[])`;
    case 'collection':
      return `r.kind in ('deleted', 'collection') and ${bindings.add(filter.collection)} = any(r.collections)`;
    default:
      return filter satisfies never;
  }
}
