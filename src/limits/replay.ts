// Limits: what a sliding window would have refused of recorded requests, second by second.

import { admit, advance, usedIn, WINDOW_WORDS } from './sliding-window.ts';

const PEAK_SECONDS = 60;

/** Ascending seconds, and the number of requests in each. */
export interface RecordedCalls {
  seconds: readonly number[];
  calls: readonly number[];
}

/** How many of the requests the limit would have refused, computed with the window that serves requests. */
export function wouldRefuse({ seconds, calls }: RecordedCalls, limit: number): number {
  const window = { words: new Uint32Array(WINDOW_WORDS), base: 0, ms: 0 };
  let refused = 0;
  for (const [index, second] of seconds.entries()) {
    const count = calls[index] ?? 0;
    // Seconds are shifted by one, because an empty window begins at 0 and must advance before its first request.
    advance(window, (second + 1) * 1000);
    const admitted = Math.max(0, Math.min(count, limit - usedIn(window)));
    for (let request = 0; request < admitted; request++) admit(window);
    refused += count - admitted;
  }
  return refused;
}

/** The 60 seconds with the most requests: the second in which they begin, and the number of requests. */
export function busiestMinute({ seconds, calls }: RecordedCalls): { second: number; requests: number } {
  let best = { second: seconds[0] ?? 0, requests: 0 };
  let first = 0;
  let requests = 0;
  for (const [index, second] of seconds.entries()) {
    requests += calls[index] ?? 0;
    while ((seconds[first] ?? second) <= second - PEAK_SECONDS) requests -= calls[first++] ?? 0;
    if (requests > best.requests) best = { second: seconds[first] ?? second, requests };
  }
  return best;
}
