// The arithmetic of one sliding window in process memory; sliding-window.lua is the same in Redis.

// A 60 s interval touches at most 61 one-second buckets. A limiter that admits only while the last 61 buckets together hold
// less than the limit therefore admits at most the limit in any 60 s, and 60/61 (98.4 %) of it at steady overload.
export const BUCKETS = 61;

/**
 * A gateway that decides alone counts what it admitted in this many seconds. While it is out of touch, what leaves the
 * window in Redis may be given to others until they know; so it takes its place again only when they do.
 */
export const KEPT = 64;

// Refusals are only reported, so coarser spans do: seven of ten seconds cover the last 60 to 70 s.
const SPANS = 7;
const SPAN_SECONDS = 10;

/** Seconds without a request after which a window holds nothing any more. */
export const IDLE_SECONDS = SPANS * SPAN_SECONDS + 1;

/**
 * `WINDOW_WORDS` words from `base` on, in an array that many windows share: the newest second, requests counted, index of
 * the newest bucket, the buckets, the spans; which of Redis's windows has counted them (`born`), what a gateway alone may
 * have of the limit by what Redis said last (`bound`), and when it did.
 */
export interface SlidingWindow {
  words: Uint32Array;
  base: number;
}

const USED = 1;
const HEAD = 2;
const RING = 3;
const REFUSED = RING + KEPT;
const BORN = REFUSED + SPANS;
const BOUND = BORN + 1;
const BOUND_SECOND = BOUND + 1;
export const WINDOW_WORDS = BOUND_SECOND + 1;

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
  for (let passed = Math.min(now - newest, KEPT); passed > 0; passed--) {
    head = (head + 1) % KEPT;
    used -= words[base + RING + ((head + KEPT - BUCKETS) % KEPT)] ?? 0;
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

/** As `usedIn`, over KEPT seconds. */
export function keptIn({ words, base }: SlidingWindow): number {
  const head = words[base + HEAD] ?? 0;
  let kept = words[base + USED] ?? 0;
  for (let age = BUCKETS; age < KEPT; age++) kept += words[base + RING + ((head + KEPT - age) % KEPT)] ?? 0;
  return kept;
}

/**
 * As `usedIn`, less what Redis's window may have lost already, or will within a second: the clocks' seconds do not begin
 * together.
 */
export function heldIn({ words, base }: SlidingWindow): number {
  const head = words[base + HEAD] ?? 0;
  let held = words[base + USED] ?? 0;
  for (let age = BUCKETS - 2; age < BUCKETS; age++) held -= words[base + RING + ((head + KEPT - age) % KEPT)] ?? 0;
  return held;
}

/** Counts a request as admitted and returns the second it was counted in. */
export function admit({ words, base }: SlidingWindow): number {
  const bucket = base + RING + (words[base + HEAD] ?? 0);
  words[bucket] = (words[bucket] ?? 0) + 1;
  words[base + USED] = (words[base + USED] ?? 0) + 1;
  return words[base] ?? 0;
}

/** What was admitted in the last BUCKETS seconds, second by second. */
export function countsIn({ words, base }: SlidingWindow): Map<number, number> {
  const counts = new Map<number, number>();
  const [newest = 0, head = 0] = [words[base], words[base + HEAD]];
  for (let age = 0; age < BUCKETS; age++) {
    const count = words[base + RING + ((head + KEPT - age) % KEPT)] ?? 0;
    if (count > 0) counts.set(newest - age, count);
  }
  return counts;
}

/** Which of Redis's windows of this subject has counted what is counted here; 0 for none. */
export const bornIn = ({ words, base }: SlidingWindow): number => words[base + BORN] ?? 0;

export function setBorn({ words, base }: SlidingWindow, born: number): void {
  words[base + BORN] = born;
}

/** What Redis said last leaves this gateway so much of the limit; it says nothing any more once a window has passed. */
export function boundIn({ words, base }: SlidingWindow): number {
  const age = (words[base] ?? 0) - (words[base + BOUND_SECOND] ?? 0);
  return age < BUCKETS ? (words[base + BOUND] ?? 0) : Number.POSITIVE_INFINITY;
}

export function setBound({ words, base }: SlidingWindow, bound: number): void {
  words[base + BOUND] = bound;
  words[base + BOUND_SECOND] = words[base] ?? 0;
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
export function leavesAt({ words, base }: SlidingWindow, limit: number, seconds: 61 | 64 = BUCKETS): number {
  const newest = words[base] ?? 0;
  let left = seconds === KEPT ? keptIn({ words, base }) : (words[base + USED] ?? 0);
  if (left === 0 && limit > 0) return newest + 1;
  const oldest = (words[base + HEAD] ?? 0) + KEPT - seconds;
  for (let wait = 1; wait < seconds; wait++) {
    const count = words[base + RING + ((oldest + wait) % KEPT)] ?? 0;
    left -= count;
    if (count > 0 && left < limit) return newest + wait;
  }
  return newest + seconds;
}
