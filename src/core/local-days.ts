// Core: calendar days of a time zone, and where they lie within UTC days.

const QUARTER_MS = 900_000;
/** Quarters of an hour in a UTC day. All zones in use differ from UTC by whole quarters of an hour. */
export const QUARTERS = 96;
const DAY_MS = QUARTERS * QUARTER_MS;

/** A UTC day and the local days that it overlaps. Days are `2026-01-15`. */
export interface DividedDay {
  day: string;
  /** The local day of the quarters before `cut`. */
  before: string;
  /** The local day of the quarters from `cut` on. */
  after: string;
  /** Index of the first quarter on the later local day, 0 to 96. */
  cut: number;
  /** The local day at noon UTC. */
  noon: string;
}

/** Whether the text names a time zone, such as `Europe/Zurich`. Offsets such as `+01:00` have no summer time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][\w+\-/]{1,63}$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The last `count` local days up to the one that contains `now`, oldest first. */
export function localDays(zone: string, now: number, count: number): string[] {
  const today = Date.parse(dayIn(zone)(now));
  return Array.from({ length: count }, (_, at) =>
    new Date(today - (count - 1 - at) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** Every UTC day that can overlap with the last `count` local days. */
export function dividedDays(zone: string, now: number, count: number): DividedDay[] {
  const dayAt = dayIn(zone);
  const last = Math.floor(now / DAY_MS) * DAY_MS;
  return Array.from({ length: count + 2 }, (_, at) => divide(dayAt, last - (count + 1 - at) * DAY_MS));
}

function divide(dayAt: (ms: number) => string, start: number): DividedDay {
  const before = dayAt(start);
  const after = dayAt(start + DAY_MS - 1);
  // Searches for the first quarter on the later local day. This assumes that local days only ascend within a UTC day.
  let [low, high] = [0, QUARTERS];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (dayAt(start + middle * QUARTER_MS) < after) low = middle + 1;
    else high = middle;
  }
  return { day: new Date(start).toISOString().slice(0, 10), before, after, cut: low, noon: dayAt(start + DAY_MS / 2) };
}

function dayIn(zone: string): (ms: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (ms) => format.format(ms);
}
