// The thread that writes a month to the archive: calls after its end are rejected and do not hang.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MonthThread } from '#repositories/record-archive/month-thread.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'portico-month-'));
});
afterEach(() => rm(directory, { recursive: true }));

const nothing = { rows: [], names: [], forget: false };
const job = () => ({
  ...{ directory, name: 'access_calls_2026_01', from: '2026-01-01T00:00:00.000Z', until: '2026-02-01T00:00:00.000Z' },
  ...{ before: null, without: null },
});

it('calls after an abort between two batches are rejected', async () => {
  const stopping = new AbortController();
  const thread = new MonthThread(job(), stopping.signal);
  await thread.add(nothing);
  stopping.abort();
  await thread[Symbol.asyncDispose]();
  await expect(thread.add(nothing)).rejects.toThrow('the thread that writes the archive ended');
  await expect(thread.finish()).rejects.toThrow('the thread that writes the archive ended');
});
