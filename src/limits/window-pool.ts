// Subject → sliding window, in memory that is bounded however many subjects come by.

import { advance, IDLE_SECONDS, WINDOW_WORDS } from '#limits/sliding-window.ts';

// Windows that newcomers share by hash while every other one is taken. Sharing errs on the strict side, forgetting a
// busy subject would not.
const SHARED = 1024;
const DEFAULT_CAPACITY = 262_144;
/** Windows looked at for idleness whenever a subject is new: there are never many more windows than busy subjects. */
const SWEEP = 4;

export class WindowPool {
  /** All windows, one after the other; replaced when it grows, so read it after `open`. */
  words = new Uint32Array((SHARED + 256) * WINDOW_WORDS);
  readonly #slots = new Map<string, number>();
  readonly #subjects: (string | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #capacity: number;
  #hand = 0;
  #sharedUntil = 0;

  /** About 400 bytes a subject: the default capacity comes to 100 MB. */
  constructor(capacity = DEFAULT_CAPACITY) {
    this.#capacity = capacity;
  }

  /** Subjects with a window of their own. */
  get size(): number {
    return this.#slots.size;
  }

  /** Where in `words` the subject's window begins, moved to the Unix second `now`. */
  open(subject: string, now: number): number {
    const base = (this.#slots.get(subject) ?? this.#settle(subject, now)) * WINDOW_WORDS;
    advance(this.words, base, now);
    return base;
  }

  #settle(subject: string, now: number): number {
    this.#forgetIdle(now);
    const shared = hash(subject) % SHARED;
    const slot = this.#free.pop() ?? this.#fresh();
    if (slot === undefined) {
      this.#sharedUntil = now + IDLE_SECONDS;
      return shared;
    }
    const base = slot * WINDOW_WORDS;
    if (now < this.#sharedUntil) {
      this.words.copyWithin(base, shared * WINDOW_WORDS, (shared + 1) * WINDOW_WORDS);
    } else {
      this.words.fill(0, base, base + WINDOW_WORDS);
    }
    this.#slots.set(subject, slot);
    this.#subjects[slot - SHARED] = subject;
    return slot;
  }

  #fresh(): number | undefined {
    if (this.#subjects.length === this.#capacity) return undefined;
    const slot = SHARED + this.#subjects.push(undefined) - 1;
    if ((slot + 1) * WINDOW_WORDS > this.words.length) {
      const grown = new Uint32Array(this.words.length * 2);
      grown.set(this.words);
      this.words = grown;
    }
    return slot;
  }

  #forgetIdle(now: number): void {
    for (let looked = Math.min(SWEEP, this.#subjects.length); looked > 0; looked--) {
      this.#hand = (this.#hand + 1) % this.#subjects.length;
      const subject = this.#subjects[this.#hand];
      const newest = this.words[(SHARED + this.#hand) * WINDOW_WORDS] ?? 0;
      if (subject === undefined || now - newest < IDLE_SECONDS) continue;
      this.#slots.delete(subject);
      this.#subjects[this.#hand] = undefined;
      this.#free.push(SHARED + this.#hand);
    }
  }
}

function hash(subject: string): number {
  let h = 0;
  for (let i = 0; i < subject.length; i++) h = (Math.imul(h, 31) + subject.charCodeAt(i)) >>> 0;
  return h;
}
