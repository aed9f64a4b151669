// Repositories: notices that become due with time, found once by any number of gateways.
import { EXPIRING_DAYS } from '#core/periods.ts';
import type { Sql } from '#database/database.ts';
import { hasRows } from '#database/rows.ts';
import { GRANT_KEY, IS_MEMBER } from '../status-sql.ts';

/** Days before an end at which firms are notified. */
const FIRM_DAYS = [30, 7] as const;
/** Minimum interval between two searches. */
const MIN_INTERVAL_SECONDS = 40;
/** Overlap of searches, which finds rows that were committed late. Each notice is still written only once. */
const OVERLAP = `interval '1 hour'`;
/** After a longer pause, older events are no longer worth a notice. */
const MAX_PAUSE = `interval '3 days'`;

/** Whether the end was set after the notice would have been due: then the person who set it knows. */
const setLater = (events: string, of: string, due: string) =>
  `exists (select from ${events} e where ${of} and e.details ? 'expires_at' and e.at >= ${due})`;

/** Text for an instant that is independent of the session's settings. */
const named = (instant: string) => `(extract(epoch from ${instant}) * 1000)::bigint::text`;

const days = (count: number | string) => `${count} * interval '1 day'`;

const CLIENTS = `
select told.kind, g.client_id, g.id, ${named('g.expires_at')}, '{}'::jsonb
from span cross join lateral (
  select 'grant_ending' as kind, ${days(EXPIRING_DAYS)} as before
  union all select 'grant_ended', interval '0') told
join grants g on g.expires_at > span.since + told.before and g.expires_at <= span.until + told.before
where case told.kind when 'grant_ending' then g.status = 'active' else g.status in ('active', 'expired') end
  and (told.kind = 'grant_ended'
    or not ${setLater('grant_events', 'e.grant_id = g.id', 'g.expires_at - told.before')})`;

/** One notice for all grants that end on the same day (UTC), so that a firm with thousands of them gets one mail. */
const FIRMS = `
select distinct 'firm_grants_ending', m.id, k.firm_id, to_char(day.first, 'YYYY-MM-DD') || '/' || day.before,
  jsonb_build_object('day', to_char(day.first, 'YYYY-MM-DD'), 'days', day.before)
from span cross join lateral (
  select midnight, midnight + ${days('before')} as first, before
  from unnest(array[${FIRM_DAYS}]) before,
    generate_series(date_trunc('day', span.since at time zone 'UTC'), span.until at time zone 'UTC', '1 day') midnight
  where midnight > span.since at time zone 'UTC') day
join grants g on g.expires_at >= day.first at time zone 'UTC'
  and g.expires_at < (day.first + interval '1 day') at time zone 'UTC'
${GRANT_KEY}
join users m on m.firm_id = k.firm_id and ${IS_MEMBER}
where g.status = 'active'
  and not ${setLater('grant_events', 'e.grant_id = g.id', `day.midnight at time zone 'UTC'`)}`;

const KEYS = `
select 'firm_key_ending', m.id, k.id, ${named('k.expires_at')} || '/' || before, jsonb_build_object('days', before)
from span cross join unnest(array[${FIRM_DAYS}]) before
join api_keys k on k.expires_at > span.since + ${days('before')} and k.expires_at <= span.until + ${days('before')}
join users m on m.firm_id = k.firm_id and ${IS_MEMBER}
where k.revoked_at is null and k.rotated_to is null
  and not ${setLater('key_events', 'e.key_id = k.id', `k.expires_at - ${days('before')}`)}`;

/**
 * Writes the notices that became due since the last search, in the same transaction that records the search. Returns
 * whether it searched: not if another process did within MIN_INTERVAL_SECONDS or is searching now. A search dated in
 * the future was recorded by a clock that has been corrected since.
 */
export function findDue(sql: Sql): Promise<boolean> {
  const text = `with last as (
      select looked_at from notice_looks
      where looked_at not between now_ms() - interval '${MIN_INTERVAL_SECONDS} seconds' and now_ms() + interval '${MIN_INTERVAL_SECONDS} seconds'
      for update skip locked),
    looked as (update notice_looks set looked_at = now_ms() from last returning last.looked_at as before, notice_looks.*),
    span as (
      select greatest(least(before, looked_at) - ${OVERLAP}, began_at, looked_at - ${MAX_PAUSE}) as since, looked_at as until from looked),
    told as (insert into notices (kind, recipient, subject, occurrence, details)
      ${CLIENTS} union all (${FIRMS}) union all (${KEYS}) on conflict do nothing)
    select from looked`;
  return hasRows(sql, { text });
}
