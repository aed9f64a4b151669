// Repositories: a firm's calls, counted by the days of a time zone.
import type { UnauthenticatedCount } from '#core/events.ts';
import { dividedDays, localDays } from '#core/local-days.ts';
import type { Sql } from '#database/database.ts';
import { firmOf } from '../access-condition.ts';

/** Calls of one group that were answered with one status. */
export interface Tally {
  calls: number;
  /** How many of `calls` are not listed one by one, because there were too many in a minute. */
  unlisted: number;
  status: number;
  /** `2026-01-15`; set in groups by day. */
  day: string | null;
  keyId: string | null;
  endpoint: string | null;
  /** Set in groups by error code; empty in records from before error codes were stored. */
  errorCode: string | null;
}

export interface DaysQuery {
  /** How many days of the time zone, today included. */
  days: number;
  /** Time zone, such as `Europe/Zurich`. */
  zone: string;
  /** Unix milliseconds, by the database's clock. */
  now: number;
}

export interface ActivityQuery extends DaysQuery {
  keyId: string | null;
}

/**
 * SQL that divides the rows of access_days, `a`, among the days of the time zone. Its values are those of daysOf,
 * followed by the caller's from $7 on. Calls without a recorded quarter of an hour count for the day that contains noon
 * of their UTC day.
 */
const parts = (of: string) => `with divided as (
        select * from unnest($2::date[], $3::date[], $4::date[], $5::int[], $6::date[]) as d (day, before, after, cut, noon)),
      counted as (
        -- Summed are only the quarters that are not on the local day of noon: there are fewer of them, often none.
        select a.*, d.noon, case d.noon when d.after then d.before else d.after end as other,
          case when d.cut > 0 then coalesce((select sum(n) from unnest(
            case d.noon when d.after then a.quarters[1:d.cut] else a.quarters[d.cut + 1:] end) n), 0) else 0 end as apart
        from divided d join access_days a on a.day = d.day
        where ${of}),
      parts as (
        select c.status, c.key_id, c.endpoint, c.error_code, part.day, part.calls, part.unlisted
        from counted c cross join lateral (values
          (c.other, c.apart, 0), (c.noon, c.calls - c.apart, c.unlisted)) part (day, calls, unlisted)
        where (part.calls > 0 or part.unlisted > 0) and part.day = any($1::date[]))`;

function daysOf({ days, zone, now }: DaysQuery): unknown[] {
  const divided = dividedDays(zone, now, days);
  const columns = ['day', 'before', 'after', 'cut', 'noon'] as const;
  return [localDays(zone, now, days), ...columns.map((name) => divided.map((row) => row[name]))];
}

/** Tallies by day, by key, by endpoint and by error code. In each group the names of the other groups are null. */
export function tallyCalls(sql: Sql, memberId: string, { keyId, ...days }: ActivityQuery): Promise<Tally[]> {
  const text = `${parts(`a.firm_id = ${firmOf('$7')} and ($8::text is null or a.key_id = $8)`)}
    select sum(calls)::float8 as calls, sum(unlisted)::float8 as unlisted, status, day, key_id as "keyId",
      endpoint, error_code as "errorCode"
    from parts group by grouping sets ((status, day), (status, key_id), (status, endpoint), (status, error_code))`;
  return sql.query<Tally>({ text, values: [...daysOf(days), memberId, keyId] });
}

/** Calls made with one key: a tally for each day, endpoint and status that has calls. */
export function tallyKeyUse(
  sql: Sql,
  { firmId, keyId }: { firmId: string; keyId: string },
  days: DaysQuery,
): Promise<(Pick<Tally, 'calls' | 'status'> & { day: string; endpoint: string })[]> {
  const text = `${parts('a.firm_id = $7 and a.key_id = $8')}
    select sum(calls)::float8 as calls, status, day, endpoint from parts where calls > 0
    group by day, endpoint, status order by day, endpoint, status`;
  return sql.query({ text, values: [...daysOf(days), firmId, keyId] });
}

/** Calls of area A without a valid key, by UTC day and error, newest day first. */
export function unauthenticatedCalls(sql: Sql, days: number): Promise<UnauthenticatedCount[]> {
  const text = `select day, error_code as "errorCode", calls from stranger_days
    where day > (now() at time zone 'UTC')::date - $1::int order by day desc, error_code`;
  return sql.query<UnauthenticatedCount>({ text, values: [days] });
}
