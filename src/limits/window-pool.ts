// Limits: maps subjects to sliding windows, in bounded memory for any number of subjects.

import { advance, IDLE_SECONDS, newestSecond, type SlidingWindow, WINDOW_WORDS } from './sliding-window.ts';

// Windows that new subjects share by hash while all others are taken. Sharing can only refuse too much, whereas
// dropping a busy subject's window would admit too much.
const SHARED = 1024;
const DEFAULT_CAPACITY = 262_144;
/** Windows checked for idleness whenever a subject is new, so that there are few more windows than busy subjects. */
const SWEEP = 4;
/** Windows per array (73 kB): a pool grows in small steps and never moves. */
const BLOCK = 256;

export class WindowPool {
  readonly #blocks: Uint32Array[] = [];
  readonly #slots = new Map<string, number>();
  readonly #subjects: (string | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #capacity: number;
  #hand = 0;
  #sharedUntil = 0;

  /** About 400 bytes per subject: the default capacity takes 100 MB. */
  constructor(capacity = DEFAULT_CAPACITY) {
    this.#capacity = capacity;
    this.#allocate(SHARED - 1);
  }

  /** Number of subjects with their own window. */
  get size(): number {
    return this.#slots.size;
  }

  /** Bytes of all windows, used or not. */
  get byteLength(): number {
    return this.#blocks.length * BLOCK * WINDOW_WORDS * Uint32Array.BYTES_PER_ELEMENT;
  }

  /** The subject's window, advanced to `now` in Unix milliseconds. After the subject was idle, another may get it. */
  open(subject: string, now: number): SlidingWindow {
    const window = this.#at(this.#slots.get(subject) ?? this.#assign(subject, Math.floor(now / 1000)));
    advance(window, now);
    return window;
  }

  /** Whether the subject has its own window. */
  isOwn(subject: string): boolean {
    return this.#slots.has(subject);
  }

  subjects(): string[] {
    return [...this.#slots.keys()];
  }

  #assign(subject: string, now: number): number {
    this.#forgetIdle(now);
    const shared = hash(subject) % SHARED;
    const slot = this.#free.pop() ?? this.#newSlot();
    if (slot === undefined) {
      this.#sharedUntil = now + IDLE_SECONDS;
      return shared;
    }
    const { words, base } = this.#at(slot);
    if (now < this.#sharedUntil) {
      const source = this.#at(shared);
      words.set(source.words.subarray(source.base, source.base + WINDOW_WORDS), base);
    } else {
      words.fill(0, base, base + WINDOW_WORDS);
    }
    this.#slots.set(subject, slot);
    this.#subjects[slot - SHARED] = subject;
    return slot;
  }

  #newSlot(): number | undefined {
    if (this.#subjects.length === this.#capacity) return undefined;
    const slot = SHARED + this.#subjects.push(undefined) - 1;
    this.#allocate(slot);
    return slot;
  }

  #allocate(slot: number): void {
    while (this.#blocks.length * BLOCK <= slot) this.#blocks.push(new Uint32Array(BLOCK * WINDOW_WORDS));
  }

  #at(slot: number): SlidingWindow {
    const words = this.#blocks[Math.floor(slot / BLOCK)] as Uint32Array;
    return { words, base: (slot % BLOCK) * WINDOW_WORDS, ms: 0 };
  }

  #forgetIdle(now: number): void {
    for (let checks = Math.min(SWEEP, this.#subjects.length); checks > 0; checks--) {
      this.#hand = (this.#hand + 1) % this.#subjects.length;
      const subject = this.#subjects[this.#hand];
      if (subject === undefined || now - newestSecond(this.#at(SHARED + this.#hand)) < IDLE_SECONDS) continue;
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
