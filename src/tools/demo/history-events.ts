// Tools: sets the events of the demonstration's keys and grants to their pretended times.
import { DAY_MS } from '#core/timestamps.ts';
import type { Sql } from '#database/database.ts';

export interface HistoryEvent {
  /** Id of the key or the grant. */
  id: string;
  action: 'create' | 'rotate' | 'revoke' | 'grant' | 'request' | 'approve' | 'decline' | 'change';
  at: string;
}

/** Around ten in the morning this many UTC days ago; fractions of a day count from now. Unix milliseconds. */
export function daysBefore(now: number, days: number): number {
  if (days < 1) return now - days * DAY_MS;
  return Math.floor(now / DAY_MS - Math.floor(days)) * DAY_MS + (10 + (days % 1) * 10) * 3_600_000 + days * 61_234;
}

/**
 * Sets the recorded times of the events back, and the columns that depend on them. The repositories always use the
 * present time, and no other caller may choose one: only the demonstration has an invented history.
 */
export async function setBack(sql: Sql, events: readonly HistoryEvent[]): Promise<void> {
  const values = [JSON.stringify(events)];
  const given = 'json_to_recordset($1::json) as s(id text, action text, at timestamptz)';
  for (const [table, owner] of [
    ['key_events', 'key_id'],
    ['grant_events', 'grant_id'],
  ])
    await sql.query({
      text: `update ${table} e set at = s.at from ${given} where e.${owner} = s.id and e.action = s.action`,
      values,
    });
  const ofKey = (action: string) =>
    `select max(e.at) from key_events e where e.key_id = k.id and e.action = '${action}'`;
  await sql.query({
    text: `update api_keys k set created_at = (${ofKey('create')}),
        revoked_at = case when revoked_at is not null then (${ofKey('revoke')}) end,
        expires_at = (select e.at + (e.details ->> 'overlap_ms')::int * interval '1 millisecond'
          from key_events e where e.key_id = k.id and e.action = 'rotate')
      where id in (select id from ${given})`,
    values,
  });
  const ofGrant = (condition: string) =>
    `select max(e.at) from grant_events e where e.grant_id = g.id and ${condition}`;
  await sql.query({
    text: `update grants g set created_at = (${ofGrant("e.action in ('grant', 'request')")}),
        activated_at = case when activated_at is not null then (${ofGrant("e.action in ('grant', 'approve')")}) end,
        ended_at = case when ended_at is not null then (${ofGrant('true')}) end
      where id in (select id from ${given})`,
    values,
  });
}
