// Repositories: how many recorded calls each lineage made, second by second.
import type { Sql } from '#database/database.ts';
import { KEY_TIER } from '../status-sql.ts';

export interface CallSeconds {
  /** The newest key of the lineage. */
  keyId: string;
  name: string;
  environment: string;
  firmId: string;
  firmName: string;
  tier: string;
  /** Seconds since `since` with at least one call, ascending; `calls` has the number of calls of each. */
  seconds: number[];
  calls: number[];
  /** How many of them were answered 429. */
  refused: number;
}

export interface CallSecondsQuery {
  /** RFC 3339; `seconds` count from here. */
  since: string;
  until: string;
  /** Null for all firms. */
  firmId: string | null;
  /** Any keys of the lineages; null for all. */
  keyIds: readonly string[] | null;
}

/**
 * Uses the index by minute. Leaves out calls from a network that the key does not allow: they count against the
 * address.
 */
const WITHIN = `r.at >= $1 and r.at < $2 and minute_of(r.at) >= minute_of($1) and minute_of(r.at) <= minute_of($2)
  and r.shape <> all(array(select number from access_shapes where error_code = 'network_not_allowed'))`;

/**
 * Lists only lineages with a call. Refusals without a client are left out: calls with revoked or expired keys and calls
 * to no route do not count against a key.
 */
export function callSeconds(sql: Sql, { since, until, firmId, keyIds }: CallSecondsQuery): Promise<CallSeconds[]> {
  const text = `with lineages as (
      select id, lineage_id from api_keys where ($3::text is null or firm_id = $3)
        and ($4::text[] is null or lineage_id in (select lineage_id from api_keys where id = any($4)))),
    seconds as (
      select l.lineage_id, floor(extract(epoch from r.at - $1::timestamptz))::int as second, count(*)::int as calls,
        (count(*) filter (where r.status = 429))::int as refused
      from lineages l join access_keys n on n.key_id = l.id cross join lateral (
        select r.at, r.status from access_calls r where r.key = n.number and r.related and ${WITHIN}
        union all select r.at, r.status from firm_refusals r where r.key = n.number and r.client_id is not null and ${WITHIN}) r group by 1, 2),
    rows as (
      select lineage_id, array_agg(second order by second) as seconds, array_agg(calls order by second) as calls,
        sum(refused)::int as refused
      from seconds group by 1)
    select k.id as "keyId", k.name, k.environment, f.id as "firmId", f.name as "firmName", ${KEY_TIER} as tier,
      rows.seconds, rows.calls, rows.refused
    from rows join api_keys k on k.lineage_id = rows.lineage_id and k.rotated_to is null
    join firms f on f.id = k.firm_id`;
  return sql.query<CallSeconds>({ text, values: [since, until, firmId, keyIds] });
}
