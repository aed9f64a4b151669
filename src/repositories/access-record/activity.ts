// Repositories: a firm's calls, counted by day.
import type { Sql } from '#database/database.ts';

/** Calls of one group that ended with one status. */
export interface Tally {
  calls: number;
  status: number;
  /** Of groups by day: `2026-01-15`. */
  day: string | null;
  keyId: string | null;
  endpoint: string | null;
  /** Of groups by error: its code, empty in records from before codes were kept. */
  errorCode: string | null;
}

export interface ActivityQuery {
  /** How many UTC days, today's included. */
  days: number;
  keyId: string | null;
}

/** The firm that this user is a member of. */
export const FIRM_OF = (user: string) => `(select m.firm_id from users m where m.id = ${user})`;

/** Tallies by day, by key, by endpoint and by error code, each group apart: all its other names are null. */
export function tallyCalls(sql: Sql, memberId: string, { days, keyId }: ActivityQuery): Promise<Tally[]> {
  return sql.query<Tally>({
    text: `select sum(calls)::int as calls, status, day, key_id as "keyId", endpoint, error_code as "errorCode"
      from access_days
      where firm_id = ${FIRM_OF('$1')} and day > (now() at time zone 'UTC')::date - $2::int
        and ($3::text is null or key_id = $3)
      group by grouping sets ((status, day), (status, key_id), (status, endpoint), (status, error_code))`,
    values: [memberId, days, keyId],
  });
}

/** The UTC days up to today, oldest first, by the database's clock. */
export async function daysUntilToday(sql: Sql, days: number): Promise<string[]> {
  const rows = await sql.query<{ day: string }>({
    text: `select (now() at time zone 'UTC')::date - back as day from generate_series($1::int - 1, 0, -1) back`,
    values: [days],
  });
  return rows.map(({ day }) => day);
}
