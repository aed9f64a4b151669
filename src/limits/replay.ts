// What a sliding window would have refused of requests that are on record, second by second.

import { admit, advance, usedIn, WINDOW_WORDS } from './sliding-window.ts';

const PEAK_SECONDS = 60;

/** Ascending seconds, and how many requests each had. */
export interface Recorded {
  seconds: readonly number[];
  calls: readonly number[];
}

/** How many of the requests the limit would have refused; the window is the one that serves requests. */
export function wouldRefuse({ seconds, calls }: Recorded, limit: number): number {
  const window = { words: new Uint32Array(WINDOW_WORDS), base: 0, ms: 0 };
  let refused = 0;
  for (const [index, second] of seconds.entries()) {
    const asked = calls[index] ?? 0;
    // From 1 on: an empty window begins at 0, and its first second is a step like any other.
    advance(window, (second + 1) * 1000);
    const admitted = Math.max(0, Math.min(asked, limit - usedIn(window)));
    for (let request = 0; request < admitted; request++) admit(window);
    refused += asked - admitted;
  }
  return refused;
}

/** The 60 seconds with the most requests: the second at which they began, and how many there were. */
export function busiestMinute({ seconds, calls }: Recorded): { second: number; requests: number } {
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
