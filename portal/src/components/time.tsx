// Components: times and days, in the same words everywhere.
import { useSyncExternalStore } from 'react';
import { DAY_MS } from '#core/timestamps.ts';
import { LOCALE } from './locale.ts';

const MOMENT = {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
} as const;

const dateTime = new Intl.DateTimeFormat(LOCALE, MOMENT);
const exact = new Intl.DateTimeFormat(LOCALE, { ...MOMENT, second: '2-digit' });
const dateOnly = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' });
const precise = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'full', timeStyle: 'long' });
const calendarDay = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeZone: 'UTC' });
const shortDay = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const FORMS = { relative: dateOnly, date: dateOnly, end: dateOnly, moment: dateTime, exact };
const ago = new Intl.RelativeTimeFormat(LOCALE);

/** Within this time hours are counted instead of days, and an end is shown with its hour. */
const HOURS_COUNT_MS = 2 * DAY_MS;

/** Unit, its length, and from which distance on it is used. */
const UNITS: readonly [unit: Intl.RelativeTimeFormatUnit, length: number, from: number][] = [
  ['day', DAY_MS, HOURS_COUNT_MS],
  ['hour', 3_600_000, 3_600_000],
  ['minute', 60_000, 60_000],
];

/** `31 hours ago`, `in 2 days`, `just now`; whole units, rounded towards zero. */
function relative(at: Date, now: Date): string {
  const difference = at.getTime() - now.getTime();
  const [unit, length] = UNITS.find(([, , from]) => Math.abs(difference) >= from) ?? [null, 1];
  return unit === null ? 'just now' : ago.format(Math.trunc(difference / length), unit);
}

/** The time, updated every half minute, so that all relative times on the page change together. */
function useNow(): Date {
  const turn = useSyncExternalStore(
    (moved) => {
      const timer = setInterval(moved, 30_000);
      return () => clearInterval(timer);
    },
    () => Math.floor(Date.now() / 30_000),
  );
  return new Date(Math.max(turn * 30_000, Date.now() - 30_000));
}

interface TimeProps {
  /** RFC 3339; null shows `never`. */
  at: string | null;
  never?: string;
  /**
   * `relative` within 30 days of now, else the date; `end` is the date, with the hour within 48 hours; `exact` includes
   * seconds, for single calls.
   */
  as?: keyof typeof FORMS;
}

/** In the reader's time zone, which is shown; the title has the full time. */
export function Time({ at, never = 'Never', as = 'moment' }: TimeProps) {
  const now = useNow();
  if (at === null) return <span>{never}</span>;
  const date = new Date(at);
  const near = isWithin(30 * DAY_MS, date, now);
  const form = as === 'end' ? endForm(date, now) : FORMS[as];
  return (
    <time dateTime={at} title={precise.format(date)}>
      {as === 'relative' && near ? (
        <span className="unbroken">{relative(date, now)}</span>
      ) : (
        <Unbroken parts={form.formatToParts(date)} />
      )}
    </time>
  );
}

/** `27 Nov 2026, 14:47 UTC`, which may break only before the time of day, and always does in the columns of a table. */
function Unbroken({ parts }: { parts: readonly Intl.DateTimeFormatPart[] }) {
  const textOf = (some: readonly Intl.DateTimeFormatPart[]) => some.map(({ value }) => value).join('');
  const time = parts.findIndex(({ type }) => type === 'hour');
  if (time <= 0) return <span className="unbroken">{textOf(parts)}</span>;
  return (
    <>
      <span className="unbroken">{textOf(parts.slice(0, time)).trimEnd()}</span>{' '}
      <span className="unbroken">{textOf(parts.slice(time))}</span>
    </>
  );
}

/** `Ends in 3 days`, `Ended 2 days ago`; nothing without an end. */
export function Ends({ at }: { at: string | null }) {
  const now = useNow();
  if (at === null) return null;
  return (
    <>
      {new Date(at) <= now ? 'Ended' : 'Ends'} <Time at={at} as="relative" />
    </>
  );
}

/** A calendar day (`2026-01-15`), independent of a time zone. */
export const dayText = (day: string): string => calendarDay.format(new Date(`${day}T00:00:00Z`));

/** The same without its year, for charts. */
export const shortDayText = (day: string): string => shortDay.format(new Date(`${day}T00:00:00Z`));

/** `Europe/Berlin`: the reader's time zone. */
export const ZONE = dateTime.resolvedOptions().timeZone;

export const exactText = (at: string): string => exact.format(new Date(at));
export const momentText = (at: string): string => dateTime.format(new Date(at));
export const dateText = (at: string): string => dateOnly.format(new Date(at));

/** An end, as seen from now or from when it was set. */
export const endText = (at: string, from = new Date()): string => endForm(new Date(at), from).format(new Date(at));

/** A day would leave open for up to 24 hours when a near end is reached. */
const endForm = (end: Date, from: Date): Intl.DateTimeFormat =>
  isWithin(HOURS_COUNT_MS, end, from) ? FORMS.moment : FORMS.end;

const isWithin = (span: number, one: Date, other: Date): boolean => Math.abs(one.getTime() - other.getTime()) < span;
