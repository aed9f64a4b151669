// Test support: the responses whose records must survive SIGKILL.

import { setTimeout as sleep } from 'node:timers/promises';
import { sampleOf, scrape } from '#test/support/metrics.ts';
import type { Load, Sent } from './load.ts';

const LOSS_MS = 1_000;
/** Between a response and the report of its record to the recorder. */
const REPORT_MS = 500;

/**
 * Waits until more than 100 responses are older than a second, and returns them: SIGKILL from now on must lose none of
 * their records. Where the gateway reports older unsaved records, as on a busy machine, the responses are older too.
 */
export async function oldResponses({ sent }: Load, internalUrl: string): Promise<Sent[]> {
  for (;;) {
    const now = performance.now();
    const unsavedMs = 1_000 * sampleOf(await scrape(internalUrl), 'portico_access_records_oldest_seconds');
    const latest = now - Math.max(LOSS_MS, unsavedMs + REPORT_MS);
    const old = sent.filter(({ status, ended }) => status === 200 && ended < latest);
    if (old.length > 100) return old;
    await sleep(100);
  }
}
