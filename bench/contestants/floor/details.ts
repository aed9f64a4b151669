// Bench, the floor: the details of an asset, the summary, and the plant store.
import { addAmounts } from '../../../src/core/money.ts';
import type { Query } from '../plain/house.ts';
import { completeness, type Store, type View } from '../plain/store.ts';
import { documentBody, valuationBody } from './bodies.ts';
import { conditionOf, PRESENT } from './columns.ts';

type Details = Pick<Store, 'valuations' | 'documents' | 'summary' | 'plantAccount' | 'plants'>;

export function detailStore(query: Query): Details {
  /** The item, its completeness, and whether it is inside the filter. */
  const itemOf = async (view: View, registryId: string) => {
    const values: unknown[] = [registryId, view.clientId];
    const inView = conditionOf(view.filter, values);
    const [row] = await query(
      `select i.id, ${inView} as in_view, c.recommended_documents, ${PRESENT} as present_documents
       from items i join categories c on c.code = i.category where i.registry_id = $1 and i.client_id = $2`,
      values,
    );
    return row;
  };
  return {
    async valuations(view, registryId, { page, size }) {
      const item = await itemOf(view, registryId);
      if (item === undefined) return null;
      const [rows, [count]] = await Promise.all([
        query('select * from valuations where item_id = $1 order by valued_at desc, id desc limit $2 offset $3', [
          ...[item.id, size, (page - 1) * size],
        ]),
        query('select count(*) as total from valuations where item_id = $1', [item.id]),
      ]);
      const bodies = rows.map((row) => valuationBody(row, registryId, view));
      const keys = rows.map((row) => [row.valued_at.toISOString(), row.id]);
      return { body: { rows: bodies, total: Number(count?.total), keys }, inView: item.in_view };
    },

    async documents(view, registryId) {
      const item = await itemOf(view, registryId);
      if (item === undefined) return null;
      const rows = await query(
        `select id, type, title, issuer, issued_on, expires_on, file_size, created_at, updated_at from documents
         where item_id = $1 order by issued_on desc nulls last, id desc`,
        [item.id],
      );
      const body = {
        data: rows.map((row) => documentBody(row, registryId, view)),
        completeness: completeness(item.recommended_documents, item.present_documents),
      };
      return { body, inView: item.in_view };
    },

    summary: (view) => summarise(query, view),

    async plantAccount(tokenHash) {
      const [row] = await query(
        `select id, account_id from plant_tokens where token_hash = $1 and revoked_at is null
         and (expires_at is null or expires_at > now())`,
        [tokenHash],
      );
      return row === undefined ? null : { id: row.id, account: row.account_id };
    },

    plants: (account) =>
      query('select name, tag from plants where account_id = $1 order by seq limit 100', [account]) as ReturnType<
        Store['plants']
      >,
  };
}

const SCORE = `case cardinality(c.recommended_documents) when 0 then 100 else 100 *
  (select count(distinct d.type) from documents d where d.item_id = i.id and d.type = any(c.recommended_documents)
    and (d.expires_on is null or d.expires_on >= current_date)) / cardinality(c.recommended_documents) end`;

/** Sums by category; computes the completeness of items only if it is granted. */
async function summarise(query: Query, view: View): Promise<object> {
  const { scopes, currency } = view;
  const values: unknown[] = [view.clientId];
  const columns = ['i.category', 'c.name', 'count(*) as item_count'];
  if (scopes.has('valuation'))
    columns.push('sum(i.market_value) as total', 'sum(sum(i.market_value)) over () as grand_total');
  if (scopes.has('documentation'))
    columns.push('sum(i.score) as score', 'count(*) filter (where i.score = 100) as complete');
  const items = scopes.has('documentation')
    ? `(select i.*, ${SCORE} as score from items i join categories c on c.code = i.category where i.client_id = $1)`
    : 'items';
  const rows = await query(
    `select ${columns.join(', ')} from ${items} i join categories c on c.code = i.category
     where i.client_id = $1 and ${conditionOf(view.filter, values)} group by i.category, c.name order by i.category`,
    values,
  );
  const money = (amount: string | null) => ({ amount: amount ?? addAmounts([], currency), currency });
  const sum = (column: string) => rows.reduce((total, row) => total + Number(row[column]), 0);
  const count = sum('item_count');
  const body: Record<string, unknown> = { client_id: view.clientId };
  if (scopes.has('registry')) {
    body.item_count = count;
    body.categories = rows.map(({ category, name, item_count, total }) => ({
      category,
      name,
      item_count: Number(item_count),
      ...(scopes.has('valuation') ? { total_value: money(total) } : {}),
    }));
  }
  if (scopes.has('valuation')) body.total_value = money(rows[0]?.grand_total ?? null);
  if (scopes.has('documentation'))
    body.documentation_completeness = {
      score: count === 0 ? null : Math.floor(sum('score') / count),
      complete_items: sum('complete'),
    };
  body.as_of = new Date().toISOString();
  return body;
}
