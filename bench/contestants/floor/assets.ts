// Bench, the floor: admission and assets: one statement for the rows, one for the count, and one for each include.
import type { QueryResultRow } from 'pg';
import type { Query } from '../plain/house.ts';
import type { Admitted, ListQuery, Store, View } from '../plain/store.ts';
import { assetBody, documentBody, valuationBody } from './bodies.ts';
import { columnsFor, conditionOf } from './columns.ts';

const ADMISSION = `
select k.lineage_id, k.scopes, k.revoked_at, k.expires_at <= now() as key_expired,
  coalesce(k.tier_override, case k.environment when 'sandbox' then 'sandbox' else f.tier end) as tier,
  f.plan = 'enterprise' and f.plan_active as plan_active, u.id as client_id, u.reporting_currency,
  g.status, g.expires_at <= now() as grant_expired, g.scopes as grant_scopes, g.filter,
  greatest(g.view_changed_at, u.populated_at) as changed_at,
  case when $3::boolean then floor_horizon(k.lineage_id, u.id, greatest(g.view_changed_at, u.populated_at)) end as horizon
from api_keys k join firms f on f.id = k.firm_id
left join users u on u.id = $2 and u.role = 'client'
left join lateral (select * from grants where lineage_id = k.lineage_id and client_id = u.id
    and activated_at is not null and u.environment = k.environment
  order by activated_at desc, id desc limit 1) g on true
where k.secret_hash = $1`;

export function assetStore(query: Query): Pick<Store, 'admit' | 'list' | 'removals' | 'asset'> {
  return {
    async admit(secretHash, clientId, withHorizon) {
      const [row] = await query(ADMISSION, [secretHash, clientId, withHorizon]);
      return row === undefined ? null : toAdmitted(row);
    },

    async list(view, asked) {
      const values: unknown[] = [];
      const where = conditionsOf(view, asked, values);
      const from = `items i ${view.scopes.has('documentation') ? 'join categories c on c.code = i.category' : ''}`;
      const order = asked.since === null ? 'i.id' : 'i.updated_at, i.id';
      const paged = [...values];
      const beyond = asked.after === null ? 'true' : `i.id > $${paged.push(asked.after)}`;
      const offset = asked.after === null ? (asked.page - 1) * asked.size : 0;
      const [rows, [count], [snapshot]] = await Promise.all([
        query(
          `select ${columnsFor(view)}, i.updated_at as changed from ${from} where ${where} and ${beyond}
           order by ${order} limit $${paged.push(asked.size)} offset $${paged.push(offset)}`,
          paged,
        ),
        query(`select count(*) as total from items i where ${where}`, values),
        asked.since === null ? [] : query('select pg_current_snapshot()::text as snapshot', []),
      ]);
      return {
        assets: await withIncludes(query, rows, view, asked),
        total: Number(count?.total),
        keys: rows.map((row) => (asked.since === null ? [row.id] : [row.changed.toISOString(), row.id])),
        snapshot: snapshot?.snapshot ?? '',
      };
    },

    async removals(view, since) {
      const values: unknown[] = [view.clientId, since];
      const left =
        view.filter.type === 'category'
          ? ['deleted', 'category']
          : view.filter.type === 'collection'
            ? ['deleted', 'collection']
            : ['deleted'];
      const rows = await query(
        `select distinct on (r.item_id) r.registry_id, r.removed_at, r.kind from removals r
         where r.client_id = $1 and r.removed_at > $2 and r.kind = any($${values.push(left)}::text[])
           and not exists (select from items i where i.id = r.item_id and ${conditionOf(view.filter, values)})
         order by r.item_id, r.removed_at desc`,
        values,
      );
      return rows
        .sort((one, other) => one.removed_at - other.removed_at)
        .map(({ registry_id, removed_at, kind }) => ({
          registry_id,
          removed_at: removed_at.toISOString(),
          reason: kind === 'deleted' ? 'deleted' : 'out_of_scope',
        }));
    },

    async asset(view, registryId, include) {
      const values: unknown[] = [registryId, view.clientId];
      const inView = conditionOf(view.filter, values);
      const [row] = await query(
        `select ${columnsFor(view)}, ${inView} as in_view from items i join categories c on c.code = i.category
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
  return {
    lineageId: row.lineage_id,
    tier: row.tier,
    keyScopes: row.scopes,
    revoked: row.revoked_at !== null,
    expired: row.key_expired === true,
    planActive: row.plan_active,
    clientId: row.client_id,
    currency: row.reporting_currency,
    grant:
      row.status === null
        ? null
        : {
            status: row.status,
            expired: row.grant_expired === true,
            scopes: row.grant_scopes,
            filter: row.filter,
            changedAt: row.changed_at.toISOString(),
          },
    horizon: row.horizon === null ? null : row.horizon.toISOString(),
  };
}

function conditionsOf(view: View, { categories, minValue, maxValue, since }: ListQuery, values: unknown[]): string {
  const conditions = [`i.client_id = $${values.push(view.clientId)}`, conditionOf(view.filter, values)];
  if (categories !== null) conditions.push(`i.category = any($${values.push(categories)}::text[])`);
  if (minValue !== null) conditions.push(`i.market_value >= $${values.push(minValue)}`);
  if (maxValue !== null) conditions.push(`i.market_value <= $${values.push(maxValue)}`);
  if (since !== null) conditions.push(`i.updated_at > $${values.push(since)}`);
  return conditions.join(' and ');
}

const VALUATIONS = `
select v.* from unnest($1::text[]) as wanted(id) cross join lateral (
  select * from valuations where item_id = wanted.id order by valued_at desc, id desc limit 10) v
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
  const ids = [rows.map((row) => row.id)];
  const [valuations, documents] = await Promise.all([
    include.valuations ? query(VALUATIONS, ids) : null,
    include.documents ? query(DOCUMENTS, ids) : null,
  ]);
  const add = (name: string, found: QueryResultRow[], toBody: typeof valuationBody | typeof documentBody) => {
    const byItem = Map.groupBy(found, (row) => row.item_id);
    for (const [index, row] of rows.entries()) {
      const body = bodies[index] as Record<string, unknown>;
      body[name] = (byItem.get(row.id) ?? []).map((each) => toBody(each, row.registry_id, view));
    }
  };
  if (valuations !== null) add('valuations', valuations, valuationBody);
  if (documents !== null) add('documents', documents, documentBody);
  return bodies;
}
