// Conversion of PostgreSQL timestamps to the format of the API.
import { describe, expect, it } from 'vitest';
import { timestampFromPostgres } from '#core/timestamps.ts';

describe('timestampFromPostgres', () => {
  it.each([
    ['2026-01-15 10:00:00+00', '2026-01-15T10:00:00.000Z'],
    ['2026-01-15 10:00:00.1+00', '2026-01-15T10:00:00.100Z'],
    ['2026-01-15 10:00:00.12+00', '2026-01-15T10:00:00.120Z'],
    ['2026-01-15 10:00:00.007+00', '2026-01-15T10:00:00.007Z'],
    ['0001-12-31 23:59:59.999+00', '0001-12-31T23:59:59.999Z'],
  ])('%s', (written, wire) => {
    expect(timestampFromPostgres(written)).toBe(wire);
  });

  it('converts every millisecond of a second', () => {
    for (let millisecond = 0; millisecond < 1_000; millisecond++) {
      const wire = new Date(Date.UTC(2026, 10, 25, 17, 5, 9, millisecond)).toISOString();
      const written = wire.replace('T', ' ').replace(/\.?0*Z$/, '+00');
      expect(timestampFromPostgres(written)).toBe(wire);
    }
  });
});
