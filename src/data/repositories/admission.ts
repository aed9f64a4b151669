// Data room: everything that decides whether a request may proceed, read fresh in one statement, for one request or for several.
import type { AssetFilter } from '#core/asset-filter.ts';
import type { Edition, Environment } from '#core/principal.ts';
import type { ScopeSet } from '#core/scopes.ts';
import type { Tier } from '#core/tiers.ts';
import { type AskedStatement, askedStatement, readAsked } from '../asked.ts';
import type { Sql } from '../database.ts';

export interface Admission {
  key: {
    id: string;
    /** Shared by a key and its rotations; the rate limit counts by it. */
    lineageId: string;
    firmId: string;
    environment: Environment;
    scopes: ScopeSet;
    tier: Tier;
    state: 'valid' | 'revoked' | 'expired';
  };
  planActive: boolean;
  /** Null where no such client exists, in whichever environment. */
  client: { id: string; reportingCurrency: string } | null;
  /** The newest grant of the pair that ever was active. */
  grant: {
    id: string;
    state: 'active' | 'expired' | 'revoked';
    scopes: ScopeSet;
    filter: AssetFilter;
    changedAt: string;
  } | null;
  horizon: string | null;
  /** The one asked about where it still holds, or else a new one; null where nothing was read, as for a draft. */
  edition: Edition | null;
  /** Where the write-ahead log stood: a replica that has replayed it knows all this request may see. */
  position: string;
}

/** Whose admission is asked for, and what is read besides. */
export interface AdmissionAsked {
  /** The secret's hash, or the id. */
  key: Buffer | string;
  clientId: string | null;
  /** The sync horizon: it must be read before the rows it speaks of. */
  horizon?: boolean | undefined;
  /** The edition of which it is asked whether it still holds. */
  edition?: Edition | null | undefined;
}

/**
 * SQL that is true where the portfolio has changed since the edition. With a horizon it has to be asked after that, by a
 * function with a snapshot of its own; else the statement's own snapshot tells the same, sooner.
 */
const CHANGED = `case when $5::boolean then portfolio_changed_since(u.id, a.edition, moment.horizon)
  else pg_snapshot_xmax(a.edition) > pg_snapshot_xmax(pg_current_snapshot()) or exists (
    select from portfolio_changes
    where client_id in (u.id, '') and xid >= pg_snapshot_xmin(a.edition)
      and xid < pg_snapshot_xmax(pg_current_snapshot()) and not pg_visible_in_snapshot(xid, a.edition)) end`;

const statementBy = (key: string, type: string) =>
  askedStatement(
    { key: type, client_id: 'text', wants_horizon: 'boolean', edition: 'pg_snapshot' },
    (asked) => `
with asked as (${asked}),
moment as materialized (
  select pg_current_snapshot()::text as snapshot, pg_current_wal_insert_lsn()::text as position,
    current_date || ' ' || pg_postmaster_start_time() || ' ' || 'portfolio_changes'::regclass::oid as within,
    case when $5::boolean then sync_horizon() end as horizon)
select a.n, k.id, k.lineage_id, k.firm_id, k.environment, k.scopes,
  coalesce(k.tier_override, case k.environment when 'sandbox' then 'sandbox' else f.tier end) as tier,
  case when k.revoked_at is not null then 'revoked' when k.expires_at <= now() then 'expired' else 'valid' end as state,
  f.plan = 'enterprise' and f.plan_active as plan_active,
  u.id as client_id, u.reporting_currency,
  g.id as grant_id, g.scopes as grant_scopes, g.filter,
  case when g.status = 'active' and g.expires_at <= now() then 'expired' else g.status end as grant_state,
  greatest(g.view_changed_at, u.populated_at) as changed_at,
  moment.snapshot, moment.within,
  a.edition is not null and not ${CHANGED} as unchanged,
  case when a.wants_horizon then
    sync_horizon(k.lineage_id, u.id, greatest(g.view_changed_at, u.populated_at), moment.horizon) end as horizon,
  moment.position
from moment cross join asked a
join api_keys k on k.${key} = a.key
join firms f on f.id = k.firm_id
left join users u on u.id = a.client_id and u.role = 'client'
left join lateral (
  select * from grants where lineage_id = k.lineage_id and client_id = u.id and activated_at is not null
    and u.environment = k.environment
  order by activated_at desc, id desc limit 1) g on true`,
  );

const BY_SECRET = statementBy('secret_hash', 'bytea');
const BY_ID = statementBy('id', 'text');

/** The key, its firm's plan, the client and the pair's deciding grant; null for no such key. */
export async function readAdmission(sql: Sql, asked: AdmissionAsked): Promise<Admission | null> {
  const [admission = null] = await readBy(sql, typeof asked.key === 'string' ? BY_ID : BY_SECRET, [asked]);
  return admission;
}

/** The same for several, by their keys' secrets, in their order. */
export function readAdmissions(sql: Sql, asked: readonly AdmissionAsked[]): Promise<(Admission | null)[]> {
  return readBy(sql, BY_SECRET, asked);
}

function readBy(sql: Sql, statement: AskedStatement, asked: readonly AdmissionAsked[]): Promise<(Admission | null)[]> {
  return readAsked(sql, statement, asked, valuesOf, toAdmission, [asked.some(({ horizon }) => horizon)]);
}

const valuesOf = ({ key, clientId, horizon = false, edition = null }: AdmissionAsked) => [
  key,
  clientId,
  horizon,
  edition?.snapshot ?? null,
];

// biome-ignore lint/suspicious/noExplicitAny: a row of the statements above.
function toAdmission(row: any, { edition = null }: AdmissionAsked): Admission {
  const { snapshot, within } = row;
  return {
    key: {
      id: row.id,
      lineageId: row.lineage_id,
      firmId: row.firm_id,
      environment: row.environment,
      scopes: row.scopes,
      tier: row.tier,
      state: row.state,
    },
    planActive: row.plan_active,
    client: row.client_id === null ? null : { id: row.client_id, reportingCurrency: row.reporting_currency },
    grant:
      row.grant_id === null
        ? null
        : {
            id: row.grant_id,
            state: row.grant_state,
            scopes: row.grant_scopes,
            filter: row.filter,
            changedAt: row.changed_at,
          },
    horizon: row.horizon,
    edition: row.unchanged && edition?.within === within ? edition : { snapshot, within },
    position: row.position,
  };
}
