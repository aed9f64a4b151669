// Test support: the responses whose records must survive SIGKILL.

import { setTimeout as sleep } from 'node:timers/promises';
import { sampleOf, scrape } from '#test/support/metrics.ts';
import { until } from '#test/support/ports.ts';
import type { Load, Sent } from './load.ts';

const LOSS_MS = 1_000;
/** Between a response and the report of its record to the recorder, and from a scrape to the signal. */
const REPORT_MS = 500;
const STEADY_MS = 2_000;

/**
 * Returns more than 100 responses that are older than a second: SIGKILL from now on must lose none of their records.
 * Waits for two seconds in which the gateway never reports unsaved records that are nearly as old: on a busy machine a
 * save may take longer. Throws if it always does.
 */
export async function oldResponses({ sent }: Load, internalUrl: string): Promise<Sent[]> {
  let old: Sent[] = [];
  let lateAt = performance.now();
  const inTime = async () => {
    await sleep(100);
    const now = performance.now();
    const unsavedMs = 1_000 * sampleOf(await scrape(internalUrl), 'portico_access_records_oldest_seconds');
    if (unsavedMs > LOSS_MS - REPORT_MS) lateAt = now;
    old = sent.filter(({ status, ended }) => status === 200 && ended < now - LOSS_MS);
    return now - lateAt > STEADY_MS && old.length > 100;
  };
  await until(inTime, 300_000, () => new Error('records are not saved within half a second'));
  return old;
}
