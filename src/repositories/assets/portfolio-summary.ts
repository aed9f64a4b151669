// Repositories: the summary of a portfolio: counts, totals and completeness over the items of the view.
import { addAmounts, type Money } from '#core/money.ts';
import type { PortfolioView } from '#core/principal.ts';
import { hasScope } from '#core/scopes.ts';
import { Bindings } from '#database/bindings.ts';
import type { Sql } from '#database/database.ts';
import { categoriesOf, insideFilter, isTotalled, presentDocuments } from './asset-sql.ts';

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
  /** `score`: mean of the items' scores, rounded down; null if there are no items. */
  documentationCompleteness: { score: number | null; completeItems: number };
  /** When the figures were read. */
  asOf: string;
}

// biome-ignore lint/suspicious/noExplicitAny: the columns vary with the scopes.
type SummaryRow = any;

/**
 * Items and values by category, from the totals unless the filter names single items, which are counted. Columns
 * outside the scopes are not read: those parts contain zeros, which are never served.
 */
export async function summarise(sql: Sql, view: PortfolioView): Promise<PortfolioSummary> {
  const bindings = new Bindings();
  const text = `
select now() as as_of, g.category, c.name, g.items, g.value, s.score_sum, s.complete_items
from (values (1)) one
left join (${groupsOf(view, bindings)}) g on true
left join categories c on c.code = g.category
left join (${scoresOf(view, bindings)}) s on s.category = g.category
order by g.category`;
  const rows = await sql.query<SummaryRow>({ text, values: bindings.values, prepare: true });
  const groups = rows[0].category === null ? [] : rows;
  const sum = (column: string) => groups.reduce((all, row) => all + Number(row[column] ?? 0), 0);
  const itemCount = sum('items');
  const currency = view.reportingCurrency;
  const total = (values: string[]): Money => ({ amount: addAmounts(values, currency), currency });
  return {
    clientId: view.clientId,
    itemCount,
    categories: groups.map((row) => ({
      category: row.category,
      name: row.name,
      itemCount: row.items,
      totalValue: total([row.value]),
    })),
    totalValue: total(groups.map(({ value }) => value)),
    documentationCompleteness: {
      score: itemCount === 0 ? null : Math.floor(sum('score_sum') / itemCount),
      completeItems: sum('complete_items'),
    },
    asOf: rows[0].as_of,
  };
}

function groupsOf(view: PortfolioView, bindings: Bindings): string {
  const valued = hasScope(view.scopes, 'valuation');
  if (isTotalled(view.filter)) {
    return `select t.category, sum(t.items)::bigint as items, ${valued ? 'sum(t.value)' : '0::numeric'} as value
  from portfolio_totals t where ${categoriesOf('t', view, bindings)} group by t.category having sum(t.items) > 0`;
  }
  return `select i.category, count(*) as items, ${valued ? 'coalesce(sum(i.market_value), 0)' : '0::numeric'} as value
  from items i where i.client_id = ${bindings.add(view.clientId)} and ${insideFilter(view.filter, bindings)}
  group by i.category`;
}

/**
 * Expired scores are computed anew, as `score_of` does. All of a large portfolio may expire on one day, and calling the
 * function for each takes several times as long.
 */
const SCORE = `case when s.until >= current_date or s.until is null then s.score else (
    select coalesce(100 * cardinality(${presentDocuments('s.item_id')}) / nullif(cardinality(c.recommended_documents), 0), 100)
    from categories c where c.code = s.category) end`;

/** Sums of the completeness scores, and how many items are complete, by category. */
function scoresOf(view: PortfolioView, bindings: Bindings): string {
  if (!hasScope(view.scopes, 'documentation'))
    return `select null::text as category, 0 as score_sum, 0 as complete_items where false`;
  const sums = 'select s.category, sum(s.score) as score_sum, count(*) filter (where s.score = 100) as complete_items';
  const scores = isTotalled(view.filter)
    ? `from item_completeness s where ${categoriesOf('s', view, bindings)}`
    : `from item_completeness s join items i on i.id = s.item_id
    where i.client_id = ${bindings.add(view.clientId)} and ${insideFilter(view.filter, bindings)}`;
  return `${sums} from (select s.category, ${SCORE} as score ${scores} offset 0) s group by s.category`;
}
