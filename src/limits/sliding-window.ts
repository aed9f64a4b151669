// The arithmetic of one sliding window in process memory; sliding-window.lua is the same in Redis.

// A 60 s interval touches at most 61 one-second buckets. A limiter that admits only while the last 61 buckets together hold
// less than the limit therefore admits at most the limit in any 60 s, and 60/61 (98.4 %) of it at steady overload.
export const BUCKETS = 61;

// Refusals are only reported, so coarser spans do: seven of ten seconds cover the last 60 to 70 s.
const SPANS = 7;
const SPAN_SECONDS = 10;

/** Seconds without a request after which a window holds nothing any more. */
export const IDLE_SECONDS = SPANS * SPAN_SECONDS + 1;

/**
 * `WINDOW_WORDS` words from `base` on, in an array that many windows share: the newest second, requests counted, index of
 * the newest bucket, the buckets, the spans.
 */
export interface SlidingWindow {
  words: Uint32Array;
  base: number;
}

const USED = 1;
const HEAD = 2;
const RING = 3;
const REFUSED = RING + BUCKETS;
export const WINDOW_WORDS = REFUSED + SPANS;

/** Moves the window to the Unix second `now`: what is older than the ring falls out. */
export function advance({ words, base }: SlidingWindow, now: number): void {
  const newest = words[base] ?? 0;
  if (now <= newest) {
    // A clock that went back must not let counted requests leave early. Up to a window it is waited for; after a
    // longer jump, which would lock the subject out for as long, every bucket keeps its age from the new time on.
    if (newest - now >= BUCKETS) words[base] = now;
    return;
  }
  let head = words[base + HEAD] ?? 0;
  let used = words[base + USED] ?? 0;
  for (let passed = Math.min(now - newest, BUCKETS); passed > 0; passed--) {
    head = head + 1 === BUCKETS ? 0 : head + 1;
    used -= words[base + RING + head] ?? 0;
    words[base + RING + head] = 0;
  }
  const span = Math.floor(now / SPAN_SECONDS);
  for (let turned = Math.min(span - Math.floor(newest / SPAN_SECONDS), SPANS); turned > 0; turned--) {
    words[base + REFUSED + ((span - turned + 1) % SPANS)] = 0;
  }
  words[base] = now;
  words[base + USED] = used;
  words[base + HEAD] = head;
}

export const newestSecond = ({ words, base }: SlidingWindow): number => words[base] ?? 0;

export function usedIn({ words, base }: SlidingWindow): number {
  return words[base + USED] ?? 0;
}

/** Counts a request as admitted and returns the second it was counted in. */
export function admit({ words, base }: SlidingWindow): number {
  const bucket = base + RING + (words[base + HEAD] ?? 0);
  words[bucket] = (words[bucket] ?? 0) + 1;
  words[base + USED] = (words[base + USED] ?? 0) + 1;
  return words[base] ?? 0;
}

/** Takes back one request that was counted in `second`, if it is still in the window. */
export function withdraw({ words, base }: SlidingWindow, second: number): void {
  const age = (words[base] ?? 0) - second;
  if (age < 0 || age >= BUCKETS) return;
  const bucket = base + RING + (((words[base + HEAD] ?? 0) - age + BUCKETS) % BUCKETS);
  if (words[bucket] === 0) return;
  words[bucket] = (words[bucket] ?? 0) - 1;
  words[base + USED] = (words[base + USED] ?? 0) - 1;
}

/** Counts a refusal, which costs the subject nothing. */
export function refuse({ words, base }: SlidingWindow): void {
  const span = base + REFUSED + (Math.floor((words[base] ?? 0) / SPAN_SECONDS) % SPANS);
  words[span] = (words[span] ?? 0) + 1;
}

export function refusedIn({ words, base }: SlidingWindow): number {
  let sum = 0;
  for (let i = base + REFUSED; i < base + REFUSED + SPANS; i++) sum += words[i] ?? 0;
  return sum;
}

/**
 * Unix second at which counted requests begin to leave, or at which one more fits when the limit is reached; the next
 * second when nothing is counted. At limit 0, which is never, a whole window ahead.
 */
export function leavesAt({ words, base }: SlidingWindow, limit: number): number {
  const newest = words[base] ?? 0;
  let left = words[base + USED] ?? 0;
  if (left === 0 && limit > 0) return newest + 1;
  let bucket = words[base + HEAD] ?? 0;
  for (let seconds = 1; seconds < BUCKETS; seconds++) {
    bucket = bucket + 1 === BUCKETS ? 0 : bucket + 1;
    const count = words[base + RING + bucket] ?? 0;
    left -= count;
    if (count > 0 && left < limit) return newest + seconds;
  }
  return newest + BUCKETS;
}
