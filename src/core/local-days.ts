// Core: the days of a place, and where they lie in those of UTC.

const QUARTER_MS = 900_000;
/** Of a day of UTC. All zones in use differ from UTC by whole quarters of an hour. */
export const QUARTERS = 96;
const DAY_MS = QUARTERS * QUARTER_MS;

/** A day of UTC as a place divides it. Days are `2026-01-15`. */
export interface DividedDay {
  day: string;
  /** The place's day of its quarters before `cut`. */
  before: string;
  /** The place's day of its quarters from `cut` on. */
  after: string;
  /** 0 to 96. */
  cut: number;
  /** The place's day of its noon. */
  noon: string;
}

/** Whether it is the name of a zone, as `Europe/Zurich`; offsets such as `+01:00` know no summer time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][\w+\-/]{1,63}$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The last days of the place up to the one that `now` lies in, oldest first. */
export function localDays(zone: string, now: number, count: number): string[] {
  const today = Date.parse(dayIn(zone)(now));
  return Array.from({ length: count }, (_, at) =>
    new Date(today - (count - 1 - at) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** Every day of UTC that may share an hour with the last `count` days of the place. */
export function dividedDays(zone: string, now: number, count: number): DividedDay[] {
  const dayAt = dayIn(zone);
  const last = Math.floor(now / DAY_MS) * DAY_MS;
  return Array.from({ length: count + 2 }, (_, at) => divide(dayAt, last - (count + 1 - at) * DAY_MS));
}

function divide(dayAt: (ms: number) => string, start: number): DividedDay {
  const before = dayAt(start);
  const after = dayAt(start + DAY_MS - 1);
  // The first quarter that begins on the later day. Summer time never ends across a midnight by more than the day it began on.
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
