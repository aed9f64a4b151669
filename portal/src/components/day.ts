// Components: days in the reader's time zone, in the form of fields and addresses: `2026-01-15`.

/** A date field accepts years of six digits, which are not valid dates. */
export const LAST_DAY = '9999-12-31';

export function dayOf(date: Date): string {
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part, index) => String(part).padStart(index === 0 ? 4 : 2, '0')).join('-');
}

/** Start of the day and of the next one, 23 to 25 hours later; null for an invalid or incomplete day. */
export function boundsOf(day: string | null): { begins: Date; ends: Date } | null {
  const begins = new Date(`${day}T00:00:00`);
  // V8 reads 30 February as 2 March.
  if (dayOf(begins) !== day) return null;
  const ends = new Date(begins);
  ends.setDate(ends.getDate() + 1);
  // A day whose midnight does not exist begins at one o'clock, and ends at midnight nevertheless.
  ends.setHours(0, 0, 0, 0);
  return { begins, ends };
}

export const isDay = (value: string): boolean => boundsOf(value) !== null;
