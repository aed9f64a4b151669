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
  /** Where the write-ahead log stood: a replica that has replayed it knows all this request may see. */
  position: string;
}

const TEXT = `
select k.id, k.lineage_id, k.firm_id, k.environment, k.scopes,
  coalesce(k.tier_override, case k.environment when 'sandbox' then 'sandbox' else f.tier end) as tier,
  case when k.revoked_at is not null then 'revoked' when k.expires_at <= now() then 'expired' else 'valid' end as state,
  f.plan = 'enterprise' and f.plan_active as plan_active,
  u.id as client_id, u.reporting_currency,
  g.id as grant_id, g.scopes as grant_scopes, g.filter,
  case when g.status = 'active' and g.expires_at <= now() then 'expired' else g.status end as grant_state,
  greatest(g.view_changed_at, u.populated_at) as changed_at,
  case when $3 then sync_horizon(k.lineage_id, u.id, greatest(g.view_changed_at, u.populated_at)) end as horizon,
  pg_current_wal_insert_lsn()::text as position
from api_keys k
join firms f on f.id = k.firm_id
left join users u on u.id = $2 and u.role = 'client'
left join lateral (
  select * from grants where lineage_id = k.lineage_id and client_id = u.id and activated_at is not null
    and u.environment = k.environment
  order by activated_at desc, id desc limit 1) g on true
where k.$KEY = $1`;

const BY_SECRET = TEXT.replace('$KEY', 'secret_hash');
const BY_ID = TEXT.replace('$KEY', 'id');

/**
 * The key with this secret hash (or this id), its firm's plan, the client and the pair's deciding grant.
 * `withHorizon` asks for the sync horizon besides: it must be read before the rows it speaks of.
 */
export async function readAdmission(
  sql: Sql,
  key: Buffer | string,
  clientId: string | null,
  withHorizon: boolean,
): Promise<Admission | null> {
  const text = typeof key === 'string' ? BY_ID : BY_SECRET;
  const [row] = await sql.query({ text, values: [key, clientId, withHorizon], prepare: true });
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
    position: row.position,
  };
}
