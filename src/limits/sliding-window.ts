// Limits: the arithmetic of one sliding window in process memory; sliding-window.lua does the same in Redis.
// A 60 s interval overlaps at most 61 one-second buckets. Each bucket keeps the millisecond of its newest request, and
// counts until 60 s after it. Of the 61, only the oldest can leave before the present second is over. A limiter that
// admits only while the counting buckets together hold less than the limit therefore admits at most the limit in any
// 60 s.

export const BUCKETS = 61;

export const WINDOW_SECONDS = 60;

/**
 * A gateway that decides alone counts its requests for this many seconds, longer than the window. While it is out of
 * touch, Redis may grant to others what leaves its window, until they notice. The gateway uses that room itself only
 * after they have.
 */
const RETAINED_SECONDS = 64;

// Refusals are only reported, so coarser spans suffice: seven of ten seconds cover the last 60 to 70 s.
const SPANS = 7;
const SPAN_SECONDS = 10;

/** Seconds without a request after which a window is empty. */
export const IDLE_SECONDS = SPANS * SPAN_SECONDS + 1;

/**
 * `WINDOW_WORDS` words from `base` on, in an array shared by many windows: the newest second, requests in the last
 * BUCKETS buckets, index of the newest bucket, the buckets (count in the lower 16 bits, millisecond above), the spans,
 * `born` of the Redis window that has counted them, the part of the limit left to this gateway by Redis's last answer
 * (`bound`), and the seconds in which `bound` and `born` were set.
 */
export interface SlidingWindow {
  words: Uint32Array;
  base: number;
  /** Milliseconds since the newest second began; 0 while the clock is behind it. */
  ms: number;
}

const COUNT = 0xffff;
const MS_SHIFT = 16;

const USED = 1;
const HEAD = 2;
const RING = 3;
const REFUSED = RING + RETAINED_SECONDS;
const BORN = REFUSED + SPANS;
const BOUND = BORN + 1;
const BOUND_SECOND = BOUND + 1;
const BORN_SECOND = BOUND_SECOND + 1;
export const WINDOW_WORDS = BORN_SECOND + 1;

/** Advances the window to `now`, in Unix milliseconds. Buckets older than the ring are dropped. */
export function advance(window: SlidingWindow, now: number): void {
  const { words, base } = window;
  const newest = words[base] ?? 0;
  const second = Math.floor(now / 1000);
  window.ms = second < newest ? 0 : now - second * 1000;
  if (second <= newest) {
    // A clock that was set back must not let counted requests leave early. Up to one window, the window waits for the
    // clock. A longer jump would lock the subject out for as long, so then every bucket keeps its age from the next
    // second on.
    if (newest - second >= BUCKETS) words[base] = second + 1;
    return;
  }
  let head = words[base + HEAD] ?? 0;
  let used = words[base + USED] ?? 0;
  for (let passed = Math.min(second - newest, RETAINED_SECONDS); passed > 0; passed--) {
    head = (head + 1) % RETAINED_SECONDS;
    used -= (words[base + RING + ((head + RETAINED_SECONDS - BUCKETS) % RETAINED_SECONDS)] ?? 0) & COUNT;
    words[base + RING + head] = 0;
  }
  const span = Math.floor(second / SPAN_SECONDS);
  for (let turned = Math.min(span - Math.floor(newest / SPAN_SECONDS), SPANS); turned > 0; turned--) {
    words[base + REFUSED + ((span - turned + 1) % SPANS)] = 0;
  }
  words[base] = second;
  words[base + USED] = used;
  words[base + HEAD] = head;
}

export const newestSecond = ({ words, base }: SlidingWindow): number => words[base] ?? 0;

/** The bucket of this age in seconds. */
function bucketOf({ words, base }: SlidingWindow, age: number): number {
  return words[base + RING + (((words[base + HEAD] ?? 0) + RETAINED_SECONDS - age) % RETAINED_SECONDS)] ?? 0;
}

const countOf = (window: SlidingWindow, age: number): number => bucketOf(window, age) & COUNT;

/** The part of the oldest bucket that is already 60 s old. */
function leftEarly(window: SlidingWindow): number {
  const oldest = bucketOf(window, WINDOW_SECONDS);
  return oldest >>> MS_SHIFT <= window.ms ? oldest & COUNT : 0;
}

export function usedIn(window: SlidingWindow): number {
  return (window.words[window.base + USED] ?? 0) - leftEarly(window);
}

/** Like `usedIn`, over RETAINED_SECONDS whole seconds. */
export function retainedIn(window: SlidingWindow): number {
  let retained = window.words[window.base + USED] ?? 0;
  for (let age = BUCKETS; age < RETAINED_SECONDS; age++) retained += countOf(window, age);
  return retained;
}

/** Like `usedIn`, less what Redis may have dropped or will within a second: the clocks' seconds are not aligned. */
export function heldIn(window: SlidingWindow): number {
  let held = window.words[window.base + USED] ?? 0;
  for (let age = BUCKETS - 2; age < BUCKETS; age++) held -= countOf(window, age);
  return held;
}

/** Counts a request as admitted, and returns the second in which it was counted. */
export function admit({ words, base, ms }: SlidingWindow): number {
  const at = base + RING + (words[base + HEAD] ?? 0);
  const bucket = words[at] ?? 0;
  const newest = Math.max(bucket >>> MS_SHIFT, ms);
  // Only in a window shared by several subjects can a second exceed the maximum limit.
  const more = (bucket & COUNT) < COUNT ? 1 : 0;
  words[at] = ((bucket & COUNT) + more) | (newest << MS_SHIFT);
  words[base + USED] = (words[base + USED] ?? 0) + more;
  return words[base] ?? 0;
}

/** Admitted requests in the last BUCKETS seconds, by second. */
export function countsIn(window: SlidingWindow): Map<number, number> {
  const counts = new Map<number, number>();
  for (let age = 0; age < BUCKETS; age++) {
    const count = countOf(window, age);
    if (count > 0) counts.set(newestSecond(window) - age, count);
  }
  return counts;
}

/**
 * `born` of the subject's Redis window that has counted these requests; 0 where Redis may have dropped it, as it does
 * IDLE_SECONDS after the last request by its own clock.
 */
export function bornIn({ words, base }: SlidingWindow): number {
  const age = (words[base] ?? 0) - (words[base + BORN_SECOND] ?? 0);
  return age < IDLE_SECONDS - 2 ? (words[base + BORN] ?? 0) : 0;
}

/** Records that Redis has just answered from the window begun at `born`. */
export function setBorn({ words, base }: SlidingWindow, born: number): void {
  words[base + BORN] = born;
  words[base + BORN_SECOND] = words[base] ?? 0;
}

/** What Redis's last answer leaves this gateway of the limit. Without effect once a window has passed. */
export function boundIn({ words, base }: SlidingWindow): number {
  const age = (words[base] ?? 0) - (words[base + BOUND_SECOND] ?? 0);
  return age < BUCKETS ? (words[base + BOUND] ?? 0) : Number.POSITIVE_INFINITY;
}

export function setBound({ words, base }: SlidingWindow, bound: number): void {
  words[base + BOUND] = bound;
  words[base + BOUND_SECOND] = words[base] ?? 0;
}

/** Counts a refusal, which does not count against the limit. */
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
 * Unix milliseconds at which counted requests begin to leave, or, when the limit is reached, at which the next one
 * fits; the next second when nothing is counted. At limit 0, where none ever fits, a whole window ahead.
 */
export function leavesAt(window: SlidingWindow, limit: number): number {
  const newest = newestSecond(window) * 1000;
  let left = usedIn(window);
  if (left === 0 && limit > 0) return newest + 1000;
  const gone = leftEarly(window) > 0 ? 1 : 0;
  for (let age = WINDOW_SECONDS - gone; age >= 0; age--) {
    const bucket = bucketOf(window, age);
    left -= bucket & COUNT;
    if (bucket > 0 && left < limit) return newest + (WINDOW_SECONDS - age) * 1000 + (bucket >>> MS_SHIFT);
  }
  return newest + window.ms + WINDOW_SECONDS * 1000;
}

/** Like `leavesAt`, for the RETAINED_SECONDS of a gateway that decides alone. */
export function retainedUntil(window: SlidingWindow, allotment: number): number {
  const newest = newestSecond(window) * 1000;
  let left = retainedIn(window);
  if (left === 0 && allotment > 0) return newest + 1000;
  for (let age = RETAINED_SECONDS - 1; age >= 0; age--) {
    const count = countOf(window, age);
    left -= count;
    if (count > 0 && left < allotment) return newest + (RETAINED_SECONDS - age) * 1000;
  }
  return newest + RETAINED_SECONDS * 1000;
}
