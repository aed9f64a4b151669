// A prepared read calls back once: with its rows, an error, or a timeout.
import type { Connection } from 'pg';
import { expect, it, vi } from 'vitest';
import { PreparedRead } from '#database/prepared-read.ts';

const INT4 = 23;
const parserOf = () => Number;

/** A connection that sends nothing. */
function connection(): Connection {
  const nothing = () => {};
  const stream = { cork: nothing, uncork: nothing };
  const calls = { parse: nothing, bind: nothing, describe: nothing, execute: nothing, sync: nothing, close: nothing };
  return { stream, parsedStatements: {}, ...calls } as unknown as Connection;
}

function submitted(patienceMs: number): { read: PreparedRead; settled: ReturnType<typeof vi.fn> } {
  const read = new PreparedRead({ text: 'select 1 as one', values: [], patienceMs }, parserOf);
  const settled = vi.fn();
  read.callback = settled;
  expect(read.submit(connection())).toBe(null);
  read.handleRowDescription({ fields: [{ name: 'one', dataTypeID: INT4 }] });
  read.handleDataRow({ fields: ['1'] });
  return { read, settled };
}

it('gives its rows, and is not given up afterwards', async () => {
  const { read, settled } = submitted(20);
  read.handleReadyForQuery();
  await new Promise((wake) => setTimeout(wake, 100));
  expect(settled.mock.calls).toEqual([[null, [{ one: 1 }]]]);
});

it('is given up when its patience is over, and nobody is told of an answer that comes then', async () => {
  const { read, settled } = submitted(20);
  await expect.poll(() => settled.mock.calls.length).toBe(1);
  read.handleDataRow({ fields: ['2'] });
  read.handleReadyForQuery();
  read.handleError(new Error('terminated'));
  expect(settled.mock.calls).toEqual([[new Error('Query read timeout'), undefined]]);
});

it('is given up as well where the client never comes to it', async () => {
  const read = new PreparedRead({ text: 'select 1 as one', values: [], patienceMs: 20 }, parserOf);
  const settled = vi.fn();
  read.callback = settled;
  await expect.poll(() => settled.mock.calls).toEqual([[new Error('Query read timeout'), undefined]]);
});

it('gives an error that comes before, without rows', async () => {
  const { read, settled } = submitted(20);
  read.handleError(new Error('terminated'));
  read.handleReadyForQuery();
  await new Promise((wake) => setTimeout(wake, 100));
  expect(settled.mock.calls).toEqual([[new Error('terminated'), undefined]]);
});
