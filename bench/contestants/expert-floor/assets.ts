// Bench, the expert floor: admission and assets: one data statement, keys first, with the count.
import type { QueryResultRow } from 'pg';
import { conditionOf } from '../floor/columns.ts';
import type { Query } from '../plain/house.ts';
import type { Admitted, ListQuery, Store, View } from '../plain/store.ts';
import { assetBody, documentBody, valuationBody } from './bodies.ts';
import { columnsFor } from './columns.ts';

const ADMISSION = `
select k.lineage_id, k.scopes, k.revoked_at is not null as revoked, coalesce(k.expires_at <= now(), false) as key_expired,
  coalesce(k.tier_override, case k.environment when 'sandbox' then 'sandbox' else f.tier end) as tier,
  f.plan = 'enterprise' and f.plan_active as plan_active, u.id as client_id, u.reporting_currency,
  g.status, coalesce(g.expires_at <= now(), false) as grant_expired, g.scopes as grant_scopes, g.filter,
  greatest(g.view_changed_at, u.populated_at) as changed_at,
  case when $3::boolean then floor_horizon(k.lineage_id, u.id, greatest(g.view_changed_at, u.populated_at)) end as horizon
from api_keys k join firms f on f.id = k.firm_id
left join users u on u.id = $2 and u.role = 'client'
left join lateral (
  select status, expires_at, scopes, filter, view_changed_at from grants
  where lineage_id = k.lineage_id and client_id = u.id and activated_at is not null and u.environment = k.environment
  order by activated_at desc, id desc limit 1) g on true
where k.secret_hash = $1`;

export function assetStore(query: Query): Pick<Store, 'admit' | 'list' | 'removals' | 'asset'> {
  return {
    async admit(secretHash, clientId, withHorizon) {
      const [row] = await query(ADMISSION, [secretHash, clientId, withHorizon]);
      return row === undefined ? null : toAdmitted(row);
    },

    async list(view, asked) {
      const delta = asked.since !== null;
      const values: unknown[] = [view.clientId, asked.size];
      const where = conditionsOf(view, asked, values);
      // By cursor, the page starts where the previous one ended, without skipping rows.
      const beyond = asked.after === null ? '' : `and i.id > $${values.push(asked.after)}`;
      const offset = asked.after === null ? `offset $${values.push((asked.page - 1) * asked.size)}` : '';
      const order = (alias: string) => (delta ? `${alias}.updated_at, ${alias}.id` : `${alias}.id`);
      const categories = view.scopes.has('documentation') ? 'join categories c on c.code = i.category' : '';
      const rows = await query(
        `select t.total, r.* ${delta ? ', pg_current_snapshot()::text as snapshot' : ''}
         from (select count(*) as total from items i where ${where}) t
         left join (
           select ${columnsFor(view.scopes)} ${delta ? ', i.updated_at as changed' : ''} from (
             select i.id from items i where ${where} ${beyond} order by ${order('i')} limit $2 ${offset}) page
           join items i using (id) ${categories}) r on true
         order by ${delta ? 'r.changed, r.id' : 'r.id'}`,
        values,
      );
      const found = rows[0]?.id === null ? [] : rows;
      return {
        assets: await withIncludes(query, found, view, asked),
        total: rows[0]?.total ?? 0,
        keys: found.map((row) => (delta ? [row.changed, row.id] : [row.id])),
        snapshot: rows[0]?.snapshot ?? '',
      };
    },

    removals: (view, since) => removalsOf(query, view, since),

    async asset(view, registryId, include) {
      const values: unknown[] = [registryId, view.clientId];
      const inView = conditionOf(view.filter, values);
      const [row] = await query(
        `select ${columnsFor(view.scopes)}, ${inView} as in_view from items i join categories c on c.code = i.category
         where i.registry_id = $1 and i.client_id = $2`,
        values,
      );
      if (row === undefined) return null;
      const [body] = await withIncludes(query, [row], view, include);
      return { body: body as object, inView: row.in_view };
    },
  };
}

function toAdmitted(row: QueryResultRow): Admitted {
  const grant = {
    status: row.status,
    expired: row.grant_expired,
    scopes: row.grant_scopes,
    filter: row.filter,
    changedAt: row.changed_at,
  };
  return {
    lineageId: row.lineage_id,
    tier: row.tier,
    keyScopes: row.scopes,
    revoked: row.revoked,
    expired: row.key_expired,
    planActive: row.plan_active,
    clientId: row.client_id,
    currency: row.reporting_currency,
    grant: row.status === null ? null : grant,
    horizon: row.horizon,
  };
}

/** `$1` is the client. */
function conditionsOf(view: View, { categories, minValue, maxValue, since }: ListQuery, values: unknown[]): string {
  const conditions = ['i.client_id = $1'];
  if (view.filter.type !== 'all') conditions.push(conditionOf(view.filter, values));
  if (categories !== null) conditions.push(`i.category = any($${values.push(categories)}::text[])`);
  if (minValue !== null) conditions.push(`i.market_value >= $${values.push(minValue)}::numeric`);
  if (maxValue !== null) conditions.push(`i.market_value <= $${values.push(maxValue)}::numeric`);
  if (since !== null) conditions.push(`i.updated_at > $${values.push(since)}::timestamptz`);
  return conditions.join(' and ');
}

const REMOVED_FROM = {
  all: ['deleted'],
  items: ['deleted'],
  category: ['deleted', 'category'],
  collection: ['deleted', 'collection'],
};

async function removalsOf(query: Query, view: View, since: string): Promise<object[]> {
  const values: unknown[] = [view.clientId, since, REMOVED_FROM[view.filter.type]];
  const rows = await query(
    `select * from (
       select distinct on (r.item_id) r.registry_id, r.removed_at, r.kind from removals r
       where r.client_id = $1 and r.removed_at > $2 and r.kind = any($3::text[])
         and not exists (select from items i where i.id = r.item_id and ${conditionOf(view.filter, values)})
       order by r.item_id, r.removed_at desc, r.id desc) latest
     order by removed_at, registry_id`,
    values,
  );
  const reason = (kind: string) => (kind === 'deleted' ? kind : 'out_of_scope');
  return rows.map(({ registry_id, removed_at, kind }) => ({ registry_id, removed_at, reason: reason(kind) }));
}

const VALUATIONS = `
select v.* from unnest($1::text[]) as wanted(id) cross join lateral (
  select id, item_id, source, amount, currency, valued_at, appraiser, created_at
  from valuations where item_id = wanted.id order by valued_at desc, id desc limit 10) v
order by v.item_id, v.valued_at desc, v.id desc`;
const DOCUMENTS = `
select id, item_id, type, title, issuer, issued_on, expires_on, file_size, created_at, updated_at from documents
where item_id = any($1::text[]) order by item_id, issued_on desc nulls last, id desc`;

async function withIncludes(
  query: Query,
  rows: QueryResultRow[],
  view: View,
  include: Pick<ListQuery, 'valuations' | 'documents'>,
): Promise<object[]> {
  const bodies = rows.map((row) => assetBody(row, view));
  if (!include.valuations && !include.documents) return bodies;
  const ids = [rows.map((row) => row.id)];
  const [valuations, documents] = await Promise.all([
    include.valuations ? query(VALUATIONS, ids) : null,
    include.documents ? query(DOCUMENTS, ids) : null,
  ]);
  const add = (name: string, found: QueryResultRow[] | null, toBody: typeof valuationBody | typeof documentBody) => {
    if (found === null) return;
    const lists = new Map(
      rows.map((row, index) => [row.id, { list: [] as object[], registryId: row.registry_id, index }]),
    );
    for (const { list, index } of lists.values()) (bodies[index] as Record<string, unknown>)[name] = list;
    for (const row of found) {
      const of = lists.get(row.item_id);
      of?.list.push(toBody(row, of.registryId, view));
    }
  };
  add('valuations', valuations, valuationBody);
  add('documents', documents, documentBody);
  return bodies;
}
