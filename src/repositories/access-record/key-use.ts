// Repositories: the calls made with one key, counted by day and endpoint.
import type { Sql } from '#database/database.ts';
import type { Tally } from './activity.ts';

/** Of the last UTC days, today's included; a tally for each day, endpoint and status with a call. */
export function tallyKeyUse(
  sql: Sql,
  { firmId, keyId }: { firmId: string; keyId: string },
  days: number,
): Promise<(Pick<Tally, 'calls' | 'status'> & { day: string; endpoint: string })[]> {
  return sql.query({
    text: `select sum(calls)::float8 as calls, status, day, endpoint from access_days
      where firm_id = $1 and key_id = $2 and day > (now() at time zone 'UTC')::date - $3::int
      group by day, endpoint, status order by day, endpoint, status`,
    values: [firmId, keyId, days],
  });
}
