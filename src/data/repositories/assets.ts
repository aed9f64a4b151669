// Data room: assets of one view: a page in the order of creation, and a single one.
import type { PortfolioView } from '#core/principal.ts';
import { hasScope } from '#core/scopes.ts';
import type { Sql } from '../database.ts';
import { type Asset, type AssetRow, toAsset } from './asset-row.ts';
import { assetColumns, Bindings, insideFilter } from './asset-view.ts';

/** What narrows a list besides the view. */
export interface AssetQuery {
  categories: string[] | null;
  /** Decimal text, inclusive; items without a market value never match. */
  minValue: string | null;
  maxValue: string | null;
}

/** Which rows of the order are wanted: by number, or after a sort key. */
export type Slice = { size: number } & ({ offset: number } | { after: string[] });

export interface Page<Node> {
  nodes: Node[];
  /** The sort key of each node: what a cursor to the rows after it holds. */
  keys: string[][];
  /** All rows of the query, whatever the slice. */
  total: number;
  hasMore: boolean;
}

/** SQL that is true of the items `i` of the view that the query asks for. */
export function matching(view: PortfolioView, query: AssetQuery, bindings: Bindings): string {
  const conditions = [`i.client_id = ${bindings.add(view.clientId)}`, insideFilter(view.filter, bindings)];
  if (query.categories !== null) conditions.push(`i.category = any(${bindings.add(query.categories)}::text[])`);
  if (query.minValue !== null) conditions.push(`i.market_value >= ${bindings.add(query.minValue)}::numeric`);
  if (query.maxValue !== null) conditions.push(`i.market_value <= ${bindings.add(query.maxValue)}::numeric`);
  return conditions.filter((condition) => condition !== 'true').join(' and ');
}

/** `items i`, joined to what stands before as `on` says, and their categories where a granted column needs them. */
export function itemsFrom(view: PortfolioView, on = ''): string {
  const items = `items i ${on}`;
  return hasScope(view.scopes, 'documentation') ? `${items} join categories c on c.code = i.category` : items;
}

/** One row more than asked tells whether there are more. */
export function limitOf(slice: Slice, bindings: Bindings): string {
  const limit = `limit ${bindings.add(slice.size + 1)}`;
  return 'offset' in slice ? `${limit} offset ${bindings.add(slice.offset)}` : limit;
}

/** Cuts the surplus row off and turns rows into assets. Rows come from `left join … on true`: no row, one of nulls. */
export function toPage(
  rows: AssetRow[],
  slice: Slice,
  view: PortfolioView,
  keyOf: (row: AssetRow) => string[],
): Page<Asset> {
  const found = rows[0]?.id === null ? [] : rows;
  const kept = found.length > slice.size ? found.slice(0, slice.size) : found;
  return {
    nodes: kept.map((row) => toAsset(row, view.scopes, view.reportingCurrency)),
    keys: kept.map(keyOf),
    total: rows[0]?.total ?? 0,
    hasMore: found.length > slice.size,
  };
}

/** A page of the view in the order of creation (the id's ULID). Columns are looked up for the rows of the page only. */
export async function listAssets(sql: Sql, view: PortfolioView, query: AssetQuery, slice: Slice): Promise<Page<Asset>> {
  const bindings = new Bindings();
  const wanted = matching(view, query, bindings);
  const after = 'after' in slice ? `and i.id > ${bindings.add(slice.after[0])}` : '';
  const text = `
select t.total, r.* from (select count(*) as total from items i where ${wanted}) t
left join (
  select ${assetColumns(view.scopes)} from (
    select i.id from items i where ${wanted} ${after} order by i.id ${limitOf(slice, bindings)}) page
  join ${itemsFrom(view, 'using (id)')}) r on true
order by r.id`;
  const rows = await sql.query({ text, values: bindings.values, prepare: true });
  return toPage(rows, slice, view, (row) => [row.id]);
}

/** The client's asset with this registry id; whether the view's filter lets it through is said beside it. */
export async function findAsset(
  sql: Sql,
  view: PortfolioView,
  registryId: string,
): Promise<{ asset: Asset; inView: boolean } | null> {
  const bindings = new Bindings();
  const text = `
select ${assetColumns(view.scopes)}, ${insideFilter(view.filter, bindings)} as in_view from ${itemsFrom(view)}
where i.registry_id = ${bindings.add(registryId)} and i.client_id = ${bindings.add(view.clientId)}`;
  const [row] = await sql.query<AssetRow>({ text, values: bindings.values, prepare: true });
  if (row === undefined) return null;
  return { asset: toAsset(row, view.scopes, view.reportingCurrency), inView: row.in_view };
}
