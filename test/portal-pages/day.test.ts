// Days of the reader's time zone, as fields and addresses name them.
import { afterEach, expect, it } from 'vitest';
import { boundsOf, dayOf } from '../../portal/src/components/day.ts';

const ownZone = process.env.TZ;
afterEach(() => {
  if (ownZone === undefined) delete process.env.TZ;
  else process.env.TZ = ownZone;
});

it.each([
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
  ['America/Sao_Paulo', '2026-10-25', '2026-10-25T03:00:00.000Z', '2026-10-26T03:00:00.000Z'],
  ['Asia/Kathmandu', '2026-10-25', '2026-10-24T18:15:00.000Z', '2026-10-25T18:15:00.000Z'],
  // Midnight does not exist on the day, which begins at one o'clock.
  ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z', '2018-11-05T02:00:00.000Z'],
  ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z', '2026-09-07T03:00:00.000Z'],
  // Midnight exists twice, of which the day begins with the first.
  ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z'],
])('in %s the day %s is from %s to %s', (zone, day, begins, ends) => {
  process.env.TZ = zone;
  const bounds = boundsOf(day);
  expect([bounds?.begins.toISOString(), bounds?.ends.toISOString()]).toEqual([begins, ends]);
  expect(dayOf(new Date(begins))).toBe(day);
  expect(dayOf(new Date(Date.parse(ends) - 1))).toBe(day);
});

it.each(['', '2026-02', '2026-02-30', '2026-1-5', '12026-01-01', 'today'])('%j is not a day', (text) => {
  expect(boundsOf(text)).toBeNull();
});
