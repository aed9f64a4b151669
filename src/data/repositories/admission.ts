// Data room: everything that decides whether a request may proceed, read fresh in one statement.
import type { AssetFilter } from '#core/asset-filter.ts';
import type { Environment } from '#core/principal.ts';
import type { ScopeSet } from '#core/scopes.ts';
import type { Tier } from '#core/tiers.ts';
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
  /** Null where not asked for. */
  freshness: Freshness | null;
  /** Where the write-ahead log stood: a replica that has replayed it knows all this request may see. */
  position: string;
}

/** What a representation of the portfolio that is read after this may be compared with later. */
export interface Freshness {
  /** Which transactions are visible. */
  snapshot: string;
  /** The database's calendar day in UTC, on which documents expire. */
  day: string;
  /** Whether everything a partner may notice of the portfolio is as it was in the snapshot that was asked about. */
  unchanged: boolean;
}

/** What an admission reads besides. */
export interface AdmissionWishes {
  /** The sync horizon: it must be read before the rows it speaks of. */
  horizon?: boolean | undefined;
  /** Freshness, compared with this earlier snapshot; `null`: with none. */
  since?: string | null | undefined;
}

const FRESHNESS = `pg_current_snapshot()::text as snapshot, current_date as day,
  $4::text is not null and not portfolio_changed_since(u.id, $4::pg_snapshot) as unchanged,`;

const TEXT = `
select k.id, k.lineage_id, k.firm_id, k.environment, k.scopes,
  coalesce(k.tier_override, case k.environment when 'sandbox' then 'sandbox' else f.tier end) as tier,
  case when k.revoked_at is not null then 'revoked' when k.expires_at <= now() then 'expired' else 'valid' end as state,
  f.plan = 'enterprise' and f.plan_active as plan_active,
  u.id as client_id, u.reporting_currency,
  g.id as grant_id, g.scopes as grant_scopes, g.filter,
  case when g.status = 'active' and g.expires_at <= now() then 'expired' else g.status end as grant_state,
  greatest(g.view_changed_at, u.populated_at) as changed_at,
  $FRESHNESS case when $3 then sync_horizon(k.lineage_id, u.id, greatest(g.view_changed_at, u.populated_at)) end as horizon,
  pg_current_wal_insert_lsn()::text as position
from api_keys k
join firms f on f.id = k.firm_id
left join users u on u.id = $2 and u.role = 'client'
left join lateral (
  select * from grants where lineage_id = k.lineage_id and client_id = u.id and activated_at is not null
    and u.environment = k.environment
  order by activated_at desc, id desc limit 1) g on true
where k.$KEY = $1`;

const textBy = (key: string) => {
  const text = TEXT.replace('$KEY', key);
  return { plain: text.replace('$FRESHNESS ', ''), fresh: text.replace('$FRESHNESS', FRESHNESS) };
};

const BY_SECRET = textBy('secret_hash');
const BY_ID = textBy('id');

/** The key with this secret hash (or this id), its firm's plan, the client and the pair's deciding grant. */
export async function readAdmission(
  sql: Sql,
  key: Buffer | string,
  clientId: string | null,
  { horizon = false, since }: AdmissionWishes = {},
): Promise<Admission | null> {
  const { plain, fresh } = typeof key === 'string' ? BY_ID : BY_SECRET;
  const wanted = [key, clientId, horizon];
  const statement = since === undefined ? { text: plain, values: wanted } : { text: fresh, values: [...wanted, since] };
  const [row] = await sql.query({ ...statement, prepare: true });
  return row === undefined ? null : toAdmission(row);
}

// biome-ignore lint/suspicious/noExplicitAny: the row of TEXT above.
function toAdmission(row: any): Admission {
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
    freshness: row.snapshot === undefined ? null : { snapshot: row.snapshot, day: row.day, unchanged: row.unchanged },
    position: row.position,
  };
}
