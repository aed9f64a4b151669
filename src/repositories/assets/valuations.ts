// Repositories: valuations: the history of one asset, and the newest of several.
import type { Money } from '#core/money.ts';
import type { PortfolioView } from '#core/principal.ts';
import type { Sql } from '#database/database.ts';
import { type AssetKey, readChildren } from './asset-children.ts';
import { Bindings, insideFilter } from './asset-sql.ts';
import type { Page, Slice } from './assets.ts';

export interface Valuation {
  id: string;
  registryId: string;
  source: string;
  value: Money;
  valuedAt: string;
  appraiser: string | null;
  createdAt: string;
}

export interface ValuationQuery {
  source: string | null;
  /** Exclusive, on valued_at. */
  since: string | null;
}

// biome-ignore lint/suspicious/noExplicitAny: a row of VALUATION_COLUMNS.
type ValuationRow = any;

const VALUATION_COLUMNS = 'v.id, v.source, v.amount, v.currency, v.valued_at, v.appraiser, v.created_at';

const toValuation = (row: ValuationRow): Valuation => ({
  id: row.id,
  registryId: row.registry_id,
  source: row.source,
  value: { amount: row.amount, currency: row.currency },
  valuedAt: row.valued_at,
  appraiser: row.appraiser,
  createdAt: row.created_at,
});

/** The asset's history, newest first; null when the client has no such asset. */
export async function listValuations(
  sql: Sql,
  view: PortfolioView,
  registryId: string,
  query: ValuationQuery,
  slice: Slice,
): Promise<{ page: Page<Valuation>; inView: boolean } | null> {
  const bindings = new Bindings();
  const item = `(select i.id, i.registry_id, ${insideFilter(view.filter, bindings)} as in_view from items i
  where i.registry_id = ${bindings.add(registryId)} and i.client_id = ${bindings.add(view.clientId)}) item`;
  const wanted = ['v.item_id = item.id'];
  if (query.source !== null) wanted.push(`v.source = ${bindings.add(query.source)}`);
  if (query.since !== null) wanted.push(`v.valued_at > ${bindings.add(query.since)}`);
  const after =
    'after' in slice
      ? `and (v.valued_at, v.id) < (${bindings.add(slice.after[0])}::timestamptz, ${bindings.add(slice.after[1])}::text)`
      : '';
  const offset = 'offset' in slice ? `offset ${bindings.add(slice.offset)}` : '';
  const text = `
select item.registry_id, item.in_view, t.total, r.* from ${item}
cross join lateral (select count(*) as total from valuations v where ${wanted.join(' and ')}) t
left join lateral (
  select ${VALUATION_COLUMNS} from valuations v where ${wanted.join(' and ')} ${after}
  order by v.valued_at desc, v.id desc limit ${bindings.add(slice.size + 1)} ${offset}) r on true
order by r.valued_at desc, r.id desc`;
  const rows = await sql.query<ValuationRow>({ text, values: bindings.values, prepare: true });
  const [first] = rows;
  if (first === undefined) return null;
  const found = first.id === null ? [] : rows;
  const kept = found.slice(0, slice.size);
  return {
    inView: first.in_view,
    page: {
      nodes: kept.map(toValuation),
      keys: kept.map((row) => [row.valued_at, row.id]),
      total: first.total,
      hasMore: found.length > slice.size,
    },
  };
}

/** The `count` newest valuations of each asset, by its id. */
export function newestValuations(
  sql: Sql,
  assets: readonly AssetKey[],
  count: number,
): Promise<Map<string, Valuation[]>> {
  const text = `
select i.id as item_id, i.registry_id, v.* from items i
cross join lateral (
  select ${VALUATION_COLUMNS} from valuations v where v.item_id = i.id
  order by v.valued_at desc, v.id desc limit $2) v
where i.id = any($1::text[])
order by i.id, v.valued_at desc, v.id desc`;
  return readChildren(sql, assets, { name: 'newest valuations', text, values: [count] }, toValuation);
}
