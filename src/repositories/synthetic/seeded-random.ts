// Repositories: seeded random numbers, as functions of the database session.
import type { Sql } from '#database/database.ts';

/** Range of the generated times, in Unix milliseconds. Fixed, so that the same seed gives the same data on any day. */
export const FIRST_MS = Date.parse('2020-01-01T00:00:00Z');
export const LAST_MS = Date.parse('2026-01-01T00:00:00Z');

/**
 * Declares `pg_temp.roll` and `pg_temp.ulid` for the session. The same seed also gives the same ids, unless `ids` (an
 * id of ours) is given.
 */
export async function declareChance(sql: Sql, seed: number, ids = ''): Promise<void> {
  if (!/^\w*$/.test(ids)) throw new Error('ids are told apart by an id');
  await sql.query({
    text: `create or replace function pg_temp.roll(key text, sides bigint) returns bigint
      language sql immutable parallel safe
      return (hashtextextended(key, ${seed}) & 9223372036854775807) % sides`,
  });
  await sql.query({
    text: `create or replace function pg_temp.ulid(ms bigint, key text) returns text
      language sql immutable parallel safe
      return ${encodedTime()} || lpad(upper(to_hex(hashtextextended('${ids}' || key, ${seed}))), 16, '0')`,
  });
}

export async function forgetChance(sql: Sql): Promise<void> {
  await sql.query({ text: 'drop function pg_temp.roll(text, bigint), pg_temp.ulid(bigint, text)' });
}

// Ten characters of five bits each. The sixteen that follow are hexadecimal digits, which are valid characters of a
// ULID.
function encodedTime(): string {
  const shifts = [45, 40, 35, 30, 25, 20, 15, 10, 5, 0];
  return shifts
    .map((shift) => `substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', ((ms >> ${shift}) & 31)::integer + 1, 1)`)
    .join(' || ');
}
