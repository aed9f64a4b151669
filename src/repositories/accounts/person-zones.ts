// Repositories: the time zones of the times in people's mails.
import { refuseParameter } from '#core/errors.ts';
import { isTimeZone } from '#core/local-days.ts';
import type { Sql } from '#database/database.ts';
import { findValue } from '#database/rows.ts';
import { IS_PRESENT } from '../status-sql.ts';

/** Null if not known. */
export function findZone(sql: Sql, userId: string): Promise<string | null> {
  return findValue(sql, { text: 'select zone from person_zones where user_id = $1', values: [userId] });
}

/** Stores the time zone of the person's browser. Throws Refusal `invalid_parameter` for an unknown name. */
export async function noteZone(sql: Sql, userId: string, zone: string): Promise<string> {
  if (!isTimeZone(zone)) refuseParameter('zone', 'This is not the name of a time zone.');
  // The lock waits for an erasure, which leaves the row of a member, with another address.
  const text = `insert into person_zones (user_id, zone)
      select u.id, $2 from users u where u.id = $1 and ${IS_PRESENT} for key share
    on conflict (user_id) do update set zone = excluded.zone, noted_at = now_ms()`;
  await sql.query({ text, values: [userId, zone] });
  return zone;
}
