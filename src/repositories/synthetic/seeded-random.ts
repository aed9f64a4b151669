// Repositories: random numbers that come out the same for the same seed, as functions of the session that generates.
import type { Sql } from '#database/database.ts';

/** Times lie in these six years, on any day: the same seed gives the same data. Unix milliseconds. */
export const FIRST_MS = Date.parse('2020-01-01T00:00:00Z');
export const LAST_MS = Date.parse('2026-01-01T00:00:00Z');

/**
 * Declares `pg_temp.roll` and `pg_temp.ulid` for the transaction's session. Ids are the same for the same seed, too, unless
 * `ids` (an id of ours) says otherwise.
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

// Ten characters of five bits each; the sixteen after them are hexadecimal digits, which are characters of a ULID too.
function encodedTime(): string {
  const shifts = [45, 40, 35, 30, 25, 20, 15, 10, 5, 0];
  return shifts
    .map((shift) => `substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', ((ms >> ${shift}) & 31)::integer + 1, 1)`)
    .join(' || ');
}
