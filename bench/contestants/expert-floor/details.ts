// Bench, the expert floor: the details of an asset, the summary, and the plant store, each in one statement.
import { addAmounts } from '../../../src/core/money.ts';
import { conditionOf } from '../floor/columns.ts';
import type { Query } from '../plain/house.ts';
import { completeness, type Store, type View } from '../plain/store.ts';
import { documentBody, valuationBody } from './bodies.ts';
import { PRESENT } from './columns.ts';

type Details = Pick<Store, 'valuations' | 'documents' | 'summary' | 'plantAccount' | 'plants'>;

export function detailStore(query: Query): Details {
  return {
    async valuations(view, registryId, { page, size }) {
      const values: unknown[] = [registryId, view.clientId, size, (page - 1) * size];
      const rows = await query(
        `select item.in_view, t.total, r.* from (
           select i.id, ${conditionOf(view.filter, values)} as in_view from items i
           where i.registry_id = $1 and i.client_id = $2) item
         cross join lateral (select count(*) as total from valuations where item_id = item.id) t
         left join lateral (
           select id, source, amount, currency, valued_at, appraiser, created_at from valuations
           where item_id = item.id order by valued_at desc, id desc limit $3 offset $4) r on true`,
        values,
      );
      const [first] = rows;
      if (first === undefined) return null;
      const found = first.id === null ? [] : rows;
      const keys = found.map((row) => [row.valued_at, row.id]);
      const bodies = found.map((row) => valuationBody(row, registryId, view));
      return { body: { rows: bodies, total: first.total, keys }, inView: first.in_view };
    },

    async documents(view, registryId) {
      const values: unknown[] = [registryId, view.clientId];
      const rows = await query(
        `select ${conditionOf(view.filter, values)} as in_view, c.recommended_documents, ${PRESENT} as present_documents,
           d.id, d.type, d.title, d.issuer, d.issued_on, d.expires_on, d.file_size, d.created_at, d.updated_at
         from items i join categories c on c.code = i.category left join documents d on d.item_id = i.id
         where i.registry_id = $1 and i.client_id = $2 order by d.issued_on desc nulls last, d.id desc`,
        values,
      );
      const [first] = rows;
      if (first === undefined) return null;
      const data = (first.id === null ? [] : rows).map((row) => documentBody(row, registryId, view));
      const { recommended_documents: recommended, present_documents: present, in_view: inView } = first;
      return { body: { data, completeness: completeness(recommended, present) }, inView };
    },

    summary: (view) => summarise(query, view),

    async plantAccount(tokenHash) {
      const [row] = await query(
        `select id, account_id as account from plant_tokens where token_hash = $1 and revoked_at is null
         and (expires_at is null or expires_at > now())`,
        [tokenHash],
      );
      return (row as { id: string; account: string } | undefined) ?? null;
    },

    plants: (account) =>
      query('select name, tag from plants where account_id = $1 order by seq limit 100', [account]) as ReturnType<
        Store['plants']
      >,
  };
}

const SCORE = `case cardinality(c.recommended_documents) when 0 then 100 else 100 *
  (select count(distinct d.type) from documents d where d.item_id = i.id and d.type = any(c.recommended_documents)
    and (d.expires_on is null or d.expires_on >= current_date)) / cardinality(c.recommended_documents) end as score`;

/** Joins categories after grouping, and uses an index-only scan of items where possible. */
async function summarise(query: Query, view: View): Promise<object> {
  const { scopes, currency } = view;
  const [valued, documented] = [scopes.has('valuation'), scopes.has('documentation')];
  const values: unknown[] = [view.clientId];
  const items = `from items i ${documented ? 'join categories c on c.code = i.category' : ''}
    where i.client_id = $1 and ${conditionOf(view.filter, values)} ${documented ? 'offset 0' : ''}`;
  const rows = await query(
    `select g.*, c.name ${valued ? ', sum(total) over () as grand_total' : ''} from (
       select category, count(*) as item_count ${valued ? ', sum(market_value) as total' : ''}
         ${documented ? ', sum(score)::int8 as score, count(*) filter (where score = 100) as complete' : ''}
       from (select i.category, i.market_value ${documented ? `, ${SCORE}` : ''} ${items}) i group by category) g
     join categories c on c.code = g.category order by g.category`,
    values,
  );
  const money = (amount: string | null) => ({ amount: amount ?? addAmounts([], currency), currency });
  const sum = (column: string): number => rows.reduce((total, row) => total + row[column], 0);
  const count = sum('item_count');
  const body: Record<string, unknown> = { client_id: view.clientId };
  if (scopes.has('registry')) {
    body.item_count = count;
    body.categories = rows.map(({ category, name, item_count, total }) =>
      valued ? { category, name, item_count, total_value: money(total) } : { category, name, item_count },
    );
  }
  if (valued) body.total_value = money(rows[0]?.grand_total ?? null);
  if (documented) {
    const score = count === 0 ? null : Math.floor(sum('score') / count);
    body.documentation_completeness = { score, complete_items: sum('complete') };
  }
  body.as_of = new Date().toISOString();
  return body;
}
