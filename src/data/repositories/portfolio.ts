// Data room: the summary of a portfolio: counts, totals and completeness over the items of the view.
import { type Money, zeroAmount } from '#core/money.ts';
import type { PortfolioView } from '#core/principal.ts';
import { hasScope } from '#core/scopes.ts';
import type { Sql } from '../database.ts';
import { Bindings, insideFilter } from './asset-view.ts';

export interface CategorySummary {
  category: string;
  name: string;
  itemCount: number;
  totalValue: Money;
}

export interface PortfolioSummary {
  clientId: string;
  itemCount: number;
  categories: CategorySummary[];
  totalValue: Money;
  /** `score`: mean of the items' scores, rounded down; null where there are no items. */
  documentationCompleteness: { score: number | null; completeItems: number };
  /** When the figures were read. */
  asOf: string;
}

// biome-ignore lint/suspicious/noExplicitAny: the columns vary with the scopes.
type SummaryRow = any;

/** Sum of completeness scores of a group's items, and how many are complete. */
const SCORES = ', sum(i.score) as score_sum, count(*) filter (where i.score = 100) as complete_items';
const SCORE = `, case cardinality(c.recommended_documents) when 0 then 100 else
  100 * (select count(distinct d.type) from documents d
    where d.item_id = i.id and d.type = any(c.recommended_documents)
      and (d.expires_on is null or d.expires_on >= current_date)) / cardinality(c.recommended_documents) end as score`;

/** What the scopes do not cover is neither read nor given: the parts not granted hold zeros nobody is shown. */
export async function summarise(sql: Sql, view: PortfolioView): Promise<PortfolioSummary> {
  const bindings = new Bindings();
  const valued = hasScope(view.scopes, 'valuation');
  const documented = hasScope(view.scopes, 'documentation');
  const text = `
select now() as as_of, g.* from (values (1)) one left join (
  select i.category, i.name, count(*) as item_count
    ${valued ? ', sum(i.market_value) as total_value, sum(sum(i.market_value)) over () as grand_total' : ''}
    ${documented ? SCORES : ''}
  from (
    select i.category, c.name, i.market_value ${documented ? SCORE : ''}
    from items i join categories c on c.code = i.category
    where i.client_id = ${bindings.add(view.clientId)} and ${insideFilter(view.filter, bindings)}
    offset 0) i
  group by i.category, i.name) g on true
order by g.category`;
  const rows = await sql.query<SummaryRow>({ text, values: bindings.values, prepare: true });
  const groups = rows[0].category === null ? [] : rows;
  const sum = (column: string) => groups.reduce((total, row) => total + Number(row[column] ?? 0), 0);
  const itemCount = sum('item_count');
  const currency = view.reportingCurrency;
  const money = (amount: string | null | undefined): Money => ({ amount: amount ?? zeroAmount(currency), currency });
  return {
    clientId: view.clientId,
    itemCount,
    categories: groups.map((row) => ({
      category: row.category,
      name: row.name,
      itemCount: row.item_count,
      totalValue: money(row.total_value),
    })),
    totalValue: money(groups[0]?.grand_total),
    documentationCompleteness: {
      score: itemCount === 0 ? null : Math.floor(sum('score_sum') / itemCount),
      completeItems: sum('complete_items'),
    },
    asOf: rows[0].as_of,
  };
}
