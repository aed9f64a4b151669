// Repositories: assets of a view: a page in the order of creation, and a single one.

import type { PortfolioView } from '#core/principal.ts';
import { hasScope } from '#core/scopes.ts';
import { Bindings } from '#database/bindings.ts';
import type { Sql } from '#database/database.ts';
import { EPOCH } from '#database/snapshot.ts';
import { type Asset, type AssetRow, assetMapper } from './asset-row.ts';
import { assetColumns, categoriesOf, insideFilter, isTotalled } from './asset-sql.ts';

/** Filters of a list within the view. */
export interface AssetQuery {
  categories: string[] | null;
  /** Decimal text, inclusive; items without a market value never match. */
  minValue: string | null;
  maxValue: string | null;
}

/** A part of the ordered rows: by offset, or after a sort key. */
export type Slice = { size: number } & ({ offset: number } | { after: string[] });

export interface Page<Node> {
  nodes: Node[];
  /** The sort key of each node, which a cursor to the following rows contains. */
  keys: string[][];
  /** Number of rows of the query, independent of the slice. */
  total: number;
  hasMore: boolean;
}

/** SQL conditions for items `i` of the view that match the query. */
export interface ItemConditions {
  /** For a page: lets the planner use the index of the order. */
  inOrder: string;
  /** The same condition for counting: lets it use any index. */
  counted: string;
}

export function matching(view: PortfolioView, query: AssetQuery, bindings: Bindings): ItemConditions {
  const conditions = [`i.client_id = ${bindings.add(view.clientId)}`, insideFilter(view.filter, bindings)];
  if (query.categories !== null) conditions.push(`i.category = any(${bindings.add(query.categories)}::text[])`);
  const bounds: string[] = [];
  if (query.minValue !== null) bounds.push(`i.market_value >= ${bindings.add(query.minValue)}::numeric`);
  if (query.maxValue !== null) bounds.push(`i.market_value <= ${bindings.add(query.maxValue)}::numeric`);
  // The planner takes any two bounds for selective, and would rather sort all matches than scan some in order.
  const unindexed = bounds.map((bound) => `(${bound}) is true`);
  const all = (...parts: string[]) => parts.filter((condition) => condition !== 'true').join(' and ');
  return {
    inOrder: all(...conditions, ...unindexed),
    counted: all(...conditions, ...(view.filter.type === 'all' && query.categories === null ? bounds : unindexed)),
  };
}

/** Joins the categories of items `i` if a granted column needs them. */
const categoriesFor = ({ scopes }: PortfolioView): string =>
  hasScope(scopes, 'documentation') ? 'join categories c on c.code = i.category' : '';

/** Maximum number of rows of a page. */
export const MAX_PAGE_SIZE = 100;

/**
 * Limits `ordered`, SQL with rows in the order `order`, to the slice and one more row, which shows whether more follow.
 * The planner goes by the inner limit, so that one statement serves every size and is planned for few rows. The first
 * page has no offset parameter, which the planner would take for a large one.
 */
export function sliceOf(ordered: string, order: string, slice: Slice, bindings: Bindings): string {
  const offset = 'offset' in slice && slice.offset > 0 ? `offset ${bindings.add(slice.offset)}` : '';
  const size = bindings.add(slice.size + 1);
  return `select * from (${ordered} limit ${MAX_PAGE_SIZE + 1} ${offset}) slice order by ${order} limit ${size}`;
}

/** Number of items, counted one by one. */
export const countOf = ({ counted }: ItemConditions): string => `select count(*) from items i where ${counted}`;

/** Number of items of the view that match the query: from the totals if they suffice, else counted. */
export function totalOf(
  view: PortfolioView,
  query: AssetQuery,
  conditions: ItemConditions,
  bindings: Bindings,
): string {
  const { categories, minValue, maxValue } = query;
  if (!isTotalled(view.filter) || minValue !== null || maxValue !== null) return countOf(conditions);
  const named = categories === null ? '' : `and t.category = any(${bindings.add(categories)}::text[])`;
  return `select coalesce(sum(t.items), 0)::bigint from portfolio_totals t
  where ${categoriesOf('t', view, bindings)} ${named}`;
}

export interface PageQuery {
  /** SQL that selects `id` and `sort_key` of the page's items. */
  page: string;
  /** Their order, by columns of `page`. */
  order: string;
  /** Whether to read the epoch, which replicas do not know. */
  epoch?: boolean;
  /** SQL for the total number of rows. */
  total: string;
  bindings: Bindings;
}

/** The rows of a page, in order. */
export interface PageRows {
  rows: readonly AssetRow[];
  total: number;
  /** Snapshot of the statement. */
  snapshot: string;
  /** Set if requested; empty while the change log is interrupted. */
  epoch: string;
}

/**
 * Reads rows and total in one statement, so that both are of one snapshot. Values that do not depend on a row are in
 * subselects of their own; as plain calls, they would be evaluated for each row.
 */
export async function readPage(
  sql: Sql,
  view: PortfolioView,
  { page, order, epoch = false, total, bindings }: PageQuery,
): Promise<PageRows> {
  const text = `
with page as (${page})
select t.total, t.snapshot, t.epoch, r.*
from (select (${total}) as total, (select pg_current_snapshot()::text) as snapshot,
  ${epoch ? `coalesce((select ${EPOCH}), '')` : "''"} as epoch) t
left join lateral (
  select page.id, page.sort_key, i.number, ${assetColumns(view.scopes)}
  from page join items i on i.id = page.id ${categoriesFor(view)}) r on true
order by ${order.replaceAll('page.', 'r.')}`;
  const rows = await sql.query<AssetRow>({ name: 'assets page', text, values: bindings.values, prepare: true });
  const [{ total: found, snapshot, epoch: current, id }] = rows;
  return { rows: id === null ? [] : rows, total: found, snapshot, epoch: current };
}

/** Cuts off the surplus row, which only shows that there are more. */
export function toPage(
  { rows, total }: Pick<PageRows, 'rows' | 'total'>,
  { scopes, reportingCurrency }: PortfolioView,
  { size }: Slice,
  keyOf: (row: AssetRow) => string[],
): Page<Asset> {
  const shown = rows.slice(0, size);
  const toAsset = assetMapper(scopes);
  return {
    nodes: shown.map((row) => toAsset(row, reportingCurrency)),
    keys: shown.map(keyOf),
    total,
    hasMore: rows.length > size,
  };
}

/** A page of the view in the order of creation (the id's ULID). */
export async function listAssets(sql: Sql, view: PortfolioView, query: AssetQuery, slice: Slice): Promise<Page<Asset>> {
  const bindings = new Bindings();
  const conditions = matching(view, query, bindings);
  const after = 'after' in slice ? `and i.id > ${bindings.add(slice.after[0])}` : '';
  // Ids come from an index-only scan, however many are skipped; the rows are looked up only for those of the page.
  const ids = `select i.id, null as sort_key from items i where ${conditions.inOrder} ${after} order by i.id`;
  const page = sliceOf(ids, 'id', slice, bindings);
  const total = totalOf(view, query, conditions, bindings);
  const found = await readPage(sql, view, { page, order: 'page.id', total, bindings });
  return toPage(found, view, slice, (row) => [row.id]);
}

/** An asset, and whether it is inside the view's filter. */
export interface FoundAsset {
  asset: Asset;
  inView: boolean;
}

/** The client's asset with this registry id. */
export async function findAsset(sql: Sql, view: PortfolioView, registryId: string): Promise<FoundAsset | null> {
  const bindings = new Bindings();
  const text = `
select i.id, i.number, ${assetColumns(view.scopes)}, ${insideFilter(view.filter, bindings)} as in_view
from items i ${categoriesFor(view)}
where i.registry_id = ${bindings.add(registryId)} and i.client_id = ${bindings.add(view.clientId)}`;
  const [row] = await sql.query<AssetRow & { in_view: boolean }>({
    name: 'asset',
    text,
    values: bindings.values,
    prepare: true,
  });
  return row === undefined
    ? null
    : { asset: assetMapper(view.scopes)(row, view.reportingCurrency), inView: row.in_view };
}
