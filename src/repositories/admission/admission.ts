// Repositories: everything that decides whether a request may proceed, read in one statement for one or several
// requests.
import type { AssetFilter } from '#core/asset-filter.ts';
import type { Environment } from '#core/principal.ts';
import type { ScopeSet } from '#core/scopes.ts';
import type { Shadow, Tier } from '#core/tiers.ts';
import { batchedStatement, readBatched } from '#database/batched-statement.ts';
import type { Sql } from '#database/database.ts';
import { MOMENT_COLUMNS, type Moment, momentOf } from '#database/snapshot.ts';
import {
  FIRM_LIMIT,
  GRANT_STATUS,
  KEY_SHADOW,
  KEY_STATUS,
  KEY_TIER,
  LIMITS_CHANGE,
  PLAN_ACTIVE,
} from '../status-sql.ts';
import { VIEW_CHANGED_AT, whileLogged } from './change-log.ts';

export interface Admission {
  key: {
    id: string;
    /** Shared by a key and its rotations; the rate limit counts per lineage. */
    lineageId: string;
    firmId: string;
    environment: Environment;
    scopes: ScopeSet;
    tier: Tier;
    /** Limit of all keys of the firm together; null if there is none. */
    firmLimit: number | null;
    /** Shadow mode of the key's limit; null if the limit is enforced. */
    shadow: Shadow | null;
    state: 'active' | 'revoked' | 'expired';
    /** CIDR ranges; empty if the key may be used from anywhere. */
    allowedNetworks: readonly string[];
  };
  planActive: boolean;
  /** Null if there is no such client in any environment. */
  client: { id: string; reportingCurrency: string } | null;
  /** The newest grant of the pair that was ever active. */
  grant: {
    id: string;
    state: 'active' | 'expired' | 'revoked';
    scopes: ScopeSet;
    filter: AssetFilter;
    changedAt: string;
  } | null;
  /** Unix second at which the key, the grant or an override of a limit expires; null for never. */
  endsAt: number | null;
}

export interface AdmissionLookup {
  /** Hash of the secret, or the key's id. */
  key: Buffer | string;
  clientId: string | null;
}

export interface ReadAdmission {
  admission: Admission;
  moment: Moment;
}

const statementBy = (key: string, type: string) =>
  batchedStatement(
    'admission',
    { key: type, client_id: 'text' },
    (asked) => `
with asked as (${asked}),
moment as materialized (select ${MOMENT_COLUMNS})
select a.n, k.id, k.lineage_id, k.firm_id, k.environment, k.scopes,
  ${KEY_TIER} as tier, ${FIRM_LIMIT} as firm_limit, ${KEY_SHADOW} as shadow, ${KEY_STATUS} as state,
  k.allowed_networks::text[] as allowed_networks,
  ${PLAN_ACTIVE} as plan_active,
  u.id as client_id, u.reporting_currency,
  g.id as grant_id, g.scopes as grant_scopes, g.filter,
  ${GRANT_STATUS} as grant_state,
  ${VIEW_CHANGED_AT} as changed_at,
  extract(epoch from least(k.expires_at, g.expires_at, ${LIMITS_CHANGE}))::float8 as ends_at,
  moment.*
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

/**
 * Keys, their firms' plans, the clients and the deciding grants, in the order of `lookups`; null for an unknown key.
 * Either all are looked up by the keys' secrets, or all by their ids.
 */
export function readAdmissions(sql: Sql, lookups: readonly AdmissionLookup[]): Promise<(ReadAdmission | null)[]> {
  const statement = typeof lookups[0]?.key === 'string' ? BY_ID : BY_SECRET;
  return whileLogged(sql, () =>
    readBatched(sql, statement, lookups, ({ key, clientId }) => [key, clientId], toAdmission),
  );
}

// biome-ignore lint/suspicious/noExplicitAny: a row of the statements above.
function toAdmission(row: any): ReadAdmission {
  const admission: Admission = {
    key: {
      id: row.id,
      lineageId: row.lineage_id,
      firmId: row.firm_id,
      environment: row.environment,
      scopes: row.scopes,
      tier: row.tier,
      firmLimit: row.firm_limit,
      shadow: row.shadow,
      state: row.state,
      allowedNetworks: row.allowed_networks,
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
    endsAt: row.ends_at,
  };
  return { admission, moment: momentOf(row) };
}

/** An admission with a client and a grant. */
export type ActiveAdmission = Admission & { [Part in 'client' | 'grant']: NonNullable<Admission[Part]> };

export function isActive(admission: Admission): admission is ActiveAdmission {
  const { key, planActive, client, grant } = admission;
  return key.state === 'active' && planActive && client !== null && grant?.state === 'active';
}
