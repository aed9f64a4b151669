// Local days: every quarter of an hour of UTC belongs to the day that a clock in the zone shows, across changes of
// offset.

import { describe, expect, it } from 'vitest';
import { dividedDays, isTimeZone, localDays, QUARTERS } from '#core/local-days.ts';

const QUARTER_MS = 900_000;

/** Zones, and a moment within a week after an irregular day in them. */
const PLACES: [zone: string, now: string][] = [
  ['UTC', '2026-03-30T12:00:00Z'],
  ['Europe/Zurich', '2026-03-31T12:00:00Z'],
  ['Europe/Zurich', '2026-10-27T23:30:00Z'],
  ['America/New_York', '2026-11-03T03:00:00Z'],
  ['Asia/Kathmandu', '2026-06-01T18:20:00Z'],
  ['Pacific/Chatham', '2026-04-07T11:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-06T12:00:00Z'],
  ['America/Santiago', '2026-09-08T12:00:00Z'],
  ['Africa/Cairo', '2026-04-26T12:00:00Z'],
  ['Pacific/Kiritimati', '2026-01-02T00:00:00Z'],
  ['Pacific/Niue', '2026-01-02T00:00:00Z'],
  // Skipped 30 December 2011.
  ['Pacific/Apia', '2012-01-02T12:00:00Z'],
];

const dayThere = (zone: string, at: number) =>
  new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(at);

describe.each(PLACES)('%s around %s', (zone, text) => {
  const now = Date.parse(text);

  it('lists the last seven days, ending with today', () => {
    const days = localDays(zone, now, 7);
    expect(days).toHaveLength(7);
    expect(days.at(-1)).toBe(dayThere(zone, now));
    expect(days).toEqual([...days].sort());
  });

  it('divides each UTC day where the local day begins', () => {
    for (const { day, before, after, cut, noon } of dividedDays(zone, now, 7)) {
      const start = Date.parse(`${day}T00:00:00Z`);
      const shown = Array.from({ length: QUARTERS }, (_, quarter) => dayThere(zone, start + quarter * QUARTER_MS));
      expect(shown).toEqual(shown.map((_, quarter) => (quarter < cut ? before : after)));
      expect(noon).toBe(shown[QUARTERS / 2]);
    }
  });

  it('covers every quarter of an hour of the listed days', () => {
    const shown = localDays(zone, now, 7);
    const divided = dividedDays(zone, now, 7);
    const [first, last] = [Date.parse(divided[0]?.day ?? ''), Date.parse(divided.at(-1)?.day ?? '') + 86_400_000];
    for (let at = now - 9 * 86_400_000; at <= now; at += QUARTER_MS)
      if (shown.includes(dayThere(zone, at))) expect([first <= at, at < last]).toEqual([true, true]);
  });
});

it('isTimeZone accepts names of zones only, and no offsets', () => {
  expect(['Europe/Zurich', 'UTC', 'America/Argentina/Buenos_Aires'].map(isTimeZone)).toEqual([true, true, true]);
  expect(['', '+01:00', 'Europe/Nowhere', 'Europe/Zurich; select 1', 'x'.repeat(99)].some(isTimeZone)).toBe(false);
});
