// Repositories: everything that decides whether a request may proceed, read fresh in one statement, for one request or for several.
import type { AssetFilter } from '#core/asset-filter.ts';
import type { Edition, Environment } from '#core/principal.ts';
import type { ScopeSet } from '#core/scopes.ts';
import type { Tier } from '#core/tiers.ts';
import { type BatchedStatement, batchedStatement, readBatched } from '#database/batched-statement.ts';
import type { Sql } from '#database/database.ts';

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
  /**
   * The moment at which all of this was so, and the Unix second at which key or grant expire (null for never): until then it
   * stands, unless the database knows of a change. Null where nothing was read, as for a draft.
   */
  stands: { since: Edition; until: number | null } | null;
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

/** What a statement says of its own instant; whatever it says besides holds for that. */
const MOMENT = `pg_current_snapshot()::text as snapshot, pg_current_wal_insert_lsn()::text as position,
    current_date || ' ' || pg_postmaster_start_time() || ' ' || 'portfolio_changes'::regclass::oid as within`;

/** SQL that is true where one of the `changes` has become visible since the snapshot, or the snapshot is of another cluster. */
const changedSince = (snapshot: string, changes: string) => `(
    pg_snapshot_xmax(${snapshot}) > pg_snapshot_xmax(pg_current_snapshot()) or exists (
      select from ${changes} and xid >= pg_snapshot_xmin(${snapshot})
        and xid < pg_snapshot_xmax(pg_current_snapshot()) and not pg_visible_in_snapshot(xid, ${snapshot})))`;

/** The same of the client's portfolio, since the edition. */
const portfolioChanged = (client: string) =>
  changedSince('a.edition', `portfolio_changes where client_id in (${client}, '')`);

const statementBy = (key: string, type: string) =>
  batchedStatement(
    { key: type, client_id: 'text', wants_horizon: 'boolean', edition: 'pg_snapshot' },
    (asked) => `
with asked as (${asked}),
moment as materialized (
  select ${MOMENT},
    case when $5::boolean then sync_horizon() end as horizon)
select a.n, k.id, k.lineage_id, k.firm_id, k.environment, k.scopes,
  coalesce(k.tier_override, case k.environment when 'sandbox' then 'sandbox' else f.tier end) as tier,
  case when k.revoked_at is not null then 'revoked' when k.expires_at <= now() then 'expired' else 'valid' end as state,
  f.plan = 'enterprise' and f.plan_active as plan_active,
  u.id as client_id, u.reporting_currency,
  g.id as grant_id, g.scopes as grant_scopes, g.filter,
  case when g.status = 'active' and g.expires_at <= now() then 'expired' else g.status end as grant_state,
  greatest(g.view_changed_at, u.populated_at) as changed_at,
  extract(epoch from least(k.expires_at, g.expires_at))::float8 as ends_at,
  moment.snapshot, moment.within,
  -- Beside a horizon it has to be asked after that, by a function with a snapshot of its own.
  a.edition is not null and not case when $5::boolean then portfolio_changed_since(u.id, a.edition, moment.horizon)
    else ${portfolioChanged('u.id')} end as unchanged,
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

/** Whether admissions still stand, by what decided them. */
const STANDING = batchedStatement(
  { client_id: 'text', key_id: 'text', firm_id: 'text', since: 'pg_snapshot', edition: 'pg_snapshot' },
  (asked) => `
with asked as (${asked}),
moment as materialized (select ${MOMENT}, extract(epoch from now())::float8 as instant)
select a.n, moment.*,
  not ${changedSince('a.since', 'access_changes where subject in (a.key_id, a.firm_id, a.client_id)')} as stands,
  a.edition is not null and not ${portfolioChanged('a.client_id')} as unchanged
from moment cross join asked a`,
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

/** An admission that let a partner in. */
export type Standing = Admission & { [Part in 'client' | 'grant' | 'stands']: NonNullable<Admission[Part]> };

export function isStanding(admission: Admission): admission is Standing {
  const { key, planActive, client, grant, stands } = admission;
  return stands !== null && key.state === 'valid' && planActive && client !== null && grant?.state === 'active';
}

/**
 * What was read before, as it would be read now, but for a horizon: null where anything that decided it has changed or
 * expired, or may have.
 */
export function readStanding(
  sql: Sql,
  asked: readonly { standing: Standing; edition: Edition | null }[],
): Promise<(Admission | null)[]> {
  return readBatched(
    sql,
    STANDING,
    asked,
    ({ standing: { client, key, stands }, edition }) => [
      ...[client.id, key.id, key.firmId, stands.since.snapshot],
      edition?.snapshot ?? null,
    ],
    (row, { standing, edition }) => {
      const { since, until } = standing.stands;
      if (!row.stands || row.within !== since.within || (until !== null && row.instant >= until)) return null;
      return { ...standing, horizon: null, edition: editionOf(row, edition), position: row.position };
    },
  );
}

function readBy(
  sql: Sql,
  statement: BatchedStatement,
  asked: readonly AdmissionAsked[],
): Promise<(Admission | null)[]> {
  return readBatched(sql, statement, asked, valuesOf, toAdmission, [asked.some(({ horizon }) => horizon)]);
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
    edition: editionOf(row, edition),
    stands: { since: { snapshot, within }, until: row.ends_at },
    position: row.position,
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a row of the statements above.
function editionOf({ unchanged, snapshot, within }: any, asked: Edition | null): Edition {
  return unchanged && asked !== null && asked.within === within ? asked : { snapshot, within };
}
