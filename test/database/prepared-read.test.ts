// A prepared read calls its callback once: with rows, an error, or a timeout.
import type { Connection } from 'pg';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PreparedRead } from '#database/prepared-read.ts';

const INT4 = 23;
const PATIENCE_MS = 5_000;
const parserOf = () => Number;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A stub connection, which sends nothing. */
function connection(): Connection {
  const nothing = () => {};
  const stream = { cork: nothing, uncork: nothing };
  const calls = { parse: nothing, bind: nothing, describe: nothing, execute: nothing, sync: nothing, close: nothing };
  return { stream, parsedStatements: {}, ...calls } as unknown as Connection;
}

function submitted(): { read: PreparedRead; settled: ReturnType<typeof vi.fn> } {
  const read = new PreparedRead({ text: 'select 1 as one', values: [], patienceMs: PATIENCE_MS }, parserOf);
  const settled = vi.fn();
  read.callback = settled;
  expect(read.submit(connection())).toBe(null);
  read.handleRowDescription({ fields: [{ name: 'one', dataTypeID: INT4 }] });
  read.handleDataRow({ fields: ['1'] });
  return { read, settled };
}

it('returns its rows, and does not time out afterwards', () => {
  const { read, settled } = submitted();
  read.handleReadyForQuery();
  vi.advanceTimersByTime(2 * PATIENCE_MS);
  expect(settled.mock.calls).toEqual([[null, [{ one: 1 }]]]);
});

it('times out after its patience, and ignores a later response', () => {
  const { read, settled } = submitted();
  vi.advanceTimersByTime(PATIENCE_MS - 1);
  expect(settled).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  read.handleDataRow({ fields: ['2'] });
  read.handleReadyForQuery();
  read.handleError(new Error('terminated'));
  expect(settled.mock.calls).toEqual([[new Error('Query read timeout'), undefined]]);
});

it('times out even if it is never submitted', () => {
  const read = new PreparedRead({ text: 'select 1 as one', values: [], patienceMs: PATIENCE_MS }, parserOf);
  const settled = vi.fn();
  read.callback = settled;
  vi.advanceTimersByTime(PATIENCE_MS);
  expect(settled.mock.calls).toEqual([[new Error('Query read timeout'), undefined]]);
});

it('returns an error without rows', () => {
  const { read, settled } = submitted();
  read.handleError(new Error('terminated'));
  read.handleReadyForQuery();
  vi.advanceTimersByTime(2 * PATIENCE_MS);
  expect(settled.mock.calls).toEqual([[new Error('terminated'), undefined]]);
});
