// Repositories: valuations: the history of one asset, and the newest of several.
import type { ServedValues } from '#core/fields/field.ts';
import { VALUATION_FIELDS } from '#core/fields/valuation.ts';
import type { PortfolioView } from '#core/principal.ts';
import { Bindings } from '#database/bindings.ts';
import type { Sql } from '#database/database.ts';
import { type AssetKey, CHILD_COLUMNS, REQUESTED_ASSETS, readChildren } from './asset-children.ts';
import { insideFilter } from './asset-sql.ts';
import type { Page, Slice } from './assets.ts';
import { type Row, selectList } from './field-columns.ts';
import { moneyReader } from './money-reader.ts';

export interface Valuation extends ServedValues<typeof VALUATION_FIELDS> {
  registryId: string;
}

export interface ValuationQuery {
  source: string | null;
  /** Exclusive, on valued_at. */
  since: string | null;
}

const VALUATION_COLUMNS = selectList(VALUATION_FIELDS, 'v');
const readMoney = moneyReader(VALUATION_FIELDS);

function toValuation(row: Row): Valuation {
  readMoney(row, '');
  return row;
}

/** The asset's history, newest first; null if the client has no such asset. */
export async function listValuations(
  sql: Sql,
  view: PortfolioView,
  registryId: string,
  query: ValuationQuery,
  slice: Slice,
): Promise<{ number: number; page: Page<Valuation>; inView: boolean } | null> {
  const bindings = new Bindings();
  const item = `(select i.id, i.number, i.registry_id, ${insideFilter(view.filter, bindings)} as in_view from items i
  where i.registry_id = ${bindings.add(registryId)} and i.client_id = ${bindings.add(view.clientId)}) item`;
  const conditions = ['v.item_id = item.id'];
  if (query.source !== null) conditions.push(`v.source = ${bindings.add(query.source)}`);
  if (query.since !== null) conditions.push(`v.valued_at > ${bindings.add(query.since)}`);
  const after =
    'after' in slice
      ? `and (v.valued_at, v.id) < (${bindings.add(slice.after[0])}::timestamptz, ${bindings.add(slice.after[1])}::text)`
      : '';
  const offset = 'offset' in slice ? `offset ${bindings.add(slice.offset)}` : '';
  const text = `
select item.registry_id as "registryId", item.number, item.in_view, t.total, r.* from ${item}
cross join lateral (select count(*) as total from valuations v where ${conditions.join(' and ')}) t
left join lateral (
  select ${VALUATION_COLUMNS} from valuations v where ${conditions.join(' and ')} ${after}
  order by v.valued_at desc, v.id desc limit ${bindings.add(slice.size + 1)} ${offset}) r on true
order by r."valuedAt" desc, r.id desc`;
  const rows = await sql.query<Row>({ text, values: bindings.values, prepare: true });
  const [first] = rows;
  if (first === undefined) return null;
  const found = first.id === null ? [] : rows;
  const pageRows = found.slice(0, slice.size);
  return {
    number: first.number,
    inView: first.in_view,
    page: {
      nodes: pageRows.map(toValuation),
      keys: pageRows.map((row) => [row.valuedAt, row.id]),
      total: first.total,
      hasMore: found.length > slice.size,
    },
  };
}

/** The `count` newest valuations of each asset, in the order of the assets. */
export function newestValuations(sql: Sql, assets: readonly AssetKey[], count: number): Promise<Valuation[][]> {
  const text = `
select ${CHILD_COLUMNS}, v.* from ${REQUESTED_ASSETS}
cross join lateral (
  select ${VALUATION_COLUMNS} from valuations v where v.item_id = asked.id
  order by v.valued_at desc, v.id desc limit $2) v
order by asked.n, v."valuedAt" desc, v.id desc`;
  return readChildren(sql, assets, { name: 'newest valuations', text, values: [count] }, toValuation);
}
