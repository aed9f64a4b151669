// Core: timestamps on the wire (RFC 3339, UTC, exactly milliseconds) and calendar dates.

export const DAY_MS = 86_400_000;

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

function isCalendarDate(year: number, month: number, day: number): boolean {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  const date = new Date(0);
  date.setUTCFullYear(year, month, 0);
  return day <= date.getUTCDate();
}

/**
 * Reads an RFC 3339 timestamp with any offset and precision. Returns `YYYY-MM-DDTHH:MM:SS.mmmZ`, rounded down to the
 * millisecond, or null when it is not one. Stored timestamps have whole milliseconds, so "later than the rounded value"
 * and "later than the exact value" are the same.
 */
export function parseTimestamp(text: string): string | null {
  const match = RFC3339.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHour = '0', offsetMinute = '0'] = match;
  if (!isCalendarDate(Number(year), Number(month), Number(day))) return null;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return null;
  const local = new Date(0);
  local.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  local.setUTCHours(Number(hour), Number(minute), Number(second), Number(fraction.slice(0, 3).padEnd(3, '0')));
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60_000 * (sign === '-' ? -1 : 1);
  const utc = new Date(local.getTime() - offset);
  const within = utc.getUTCFullYear() >= 1 && utc.getUTCFullYear() <= 9999;
  return within ? utc.toISOString() : null;
}

/** Whether the text is a calendar date `YYYY-MM-DD` that exists. */
export function isDate(text: string): boolean {
  const match = DATE.exec(text);
  return match !== null && isCalendarDate(Number(match[1]), Number(match[2]), Number(match[3]));
}

export function toTimestamp(unixMilliseconds: number): string {
  return new Date(unixMilliseconds).toISOString();
}

/** Character codes. */
const [ZERO, DASH, COLON, POINT, T, Z] = [48, 45, 58, 46, 84, 90];

/**
 * PostgreSQL's text of a `timestamptz(3)` in a UTC session (`2026-01-15 10:00:00.12+00`) in wire format. PostgreSQL
 * drops trailing zeros of the fraction, which are restored. One call makes the whole text: concatenated from parts it
 * would take six times the memory, and a page of assets with their valuations has a thousand timestamps.
 */
export function timestampFromPostgres(text: string): string {
  const end = text.length - 3;
  const digit = (at: number) => (at < end ? text.charCodeAt(at) : ZERO);
  // biome-ignore format: date, time, milliseconds
  return String.fromCharCode(
    digit(0), digit(1), digit(2), digit(3), DASH, digit(5), digit(6), DASH, digit(8), digit(9), T,
    digit(11), digit(12), COLON, digit(14), digit(15), COLON, digit(17), digit(18), POINT,
    digit(20), digit(21), digit(22), Z,
  );
}
