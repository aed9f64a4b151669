// A version is served for at least 24 months after the one that follows it, as docs/versions.md promises.

import { describe, expect, it } from 'vitest';
import type { Version } from '#versions/change.ts';
import { VERSIONS } from '#versions/index.ts';

const MONTHS = 24;

/** The versions that would end too early, or that no version follows. */
function tooEarly(versions: readonly Version[]): string[] {
  return versions.flatMap(({ date, retirement }, index) => {
    if (retirement === undefined) return [];
    const next = versions[index + 1]?.date;
    if (next === undefined) return [date];
    const earliest = new Date(next);
    earliest.setUTCMonth(earliest.getUTCMonth() + MONTHS);
    return new Date(retirement.sunset) < earliest ? [date] : [];
  });
}

it('no version ends too early', () => {
  expect(tooEarly(VERSIONS)).toEqual([]);
});

describe('the check', () => {
  const old = (sunset: string): Version => ({
    date: '2026-01-15',
    changes: [],
    retirement: { deprecated: '2027-03-01', sunset },
  });
  const next: Version = { date: '2027-03-01', changes: [] };

  it.each([
    ['accepts an end after 24 months', [old('2029-03-01'), next], []],
    ['finds an end a day earlier', [old('2029-02-28'), next], ['2026-01-15']],
    ['finds the end of the last version', [old('2035-01-01')], ['2026-01-15']],
  ])('%s', (_name, versions, expected) => {
    expect(tooEarly(versions)).toEqual(expected);
  });
});
