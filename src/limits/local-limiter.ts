// The limiter in this process's memory: the store where there is no Redis, and what a gateway admitted where there is one.

import type { Clock } from '#core/clock.ts';
import { type Allowance, type Limited, Limiter, MAX_LIMIT, secondsToWait } from './limiter.ts';
import {
  admit,
  bornIn,
  boundIn,
  countsIn,
  heldIn,
  keptIn,
  keptUntil,
  leavesAt,
  refuse,
  refusedIn,
  type SlidingWindow,
  setBorn,
  setBound,
  usedIn,
} from './sliding-window.ts';
import { WindowPool } from './window-pool.ts';

export class LocalLimiter extends Limiter {
  readonly #clock: Clock;
  readonly #wallClock: Clock;
  readonly #pool: WindowPool;

  /**
   * `clock` should never be set: requests that left their window early would be admitted again. Resets are told by `wallClock`.
   * `capacity`: subjects with a window of their own; beyond it they share windows, which errs on the strict side.
   */
  constructor(clock: Clock, { wallClock = clock, capacity }: { wallClock?: Clock; capacity?: number } = {}) {
    super();
    this.#clock = clock;
    this.#wallClock = wallClock;
    this.#pool = new WindowPool(capacity);
  }

  async takeAll(asked: readonly Limited[]): Promise<Allowance[]> {
    const admitted = asked.every(({ subject, limit }) => this.hasRoom(subject, limit));
    for (const { subject } of asked) {
      if (admitted) this.count(subject);
      else this.refuse(subject);
    }
    return asked.map(({ subject, limit }) => this.look(subject, limit, admitted));
  }

  async peek(subject: string, limit: number): Promise<Allowance> {
    return this.look(subject, limit, false);
  }

  /** Counts a request as admitted, whatever the limit. Returns the second it was counted in. */
  count(subject: string): number {
    return admit(this.#open(subject));
  }

  refuse(subject: string): void {
    refuse(this.#open(subject));
  }

  hasRoom(subject: string, limit: number): boolean {
    return this.used(subject) < Math.min(limit, MAX_LIMIT);
  }

  used(subject: string): number {
    return usedIn(this.#open(subject));
  }

  /** What is counted here and surely still in Redis's window, for another second at least. */
  held(subject: string): number {
    return heldIn(this.#open(subject));
  }

  /** What a gateway that decides alone may still admit of its allotment, and by what Redis said last; below 0 for more. */
  left(subject: string, allotment: number): number {
    const window = this.#open(subject);
    return Math.min(allotment, boundIn(window)) - keptIn(window);
  }

  /** Redis has said how much of the limit remains; of this, so much is this gateway's. */
  bound(subject: string, remaining: number): void {
    const window = this.#open(subject);
    setBound(window, usedIn(window) + remaining);
  }

  /** The subject's allowance as it is now; counts nothing. */
  look(subject: string, limit: number, admitted: boolean): Allowance {
    const window = this.#open(subject);
    const used = usedIn(window);
    const bounded = Math.min(limit, MAX_LIMIT);
    return this.#allowance(window, { admitted, limit, used, left: bounded - used, leaves: leavesAt(window, bounded) });
  }

  /** As `look`, for a gateway that decides alone and may admit `allotment` of the limit. */
  lookAlone(subject: string, limit: number, allotment: number, admitted: boolean): Allowance {
    const window = this.#open(subject);
    const used = usedIn(window);
    const own = Math.min(allotment, boundIn(window));
    const left = Math.min(limit - used, own - keptIn(window));
    const leaves = Math.max(leavesAt(window, limit), keptUntil(window, own));
    return this.#allowance(window, { admitted, limit, used, left, leaves });
  }

  /** Whether the subject shares its window with no other. */
  isOwn(subject: string): boolean {
    return this.#pool.isOwn(subject);
  }

  /** Seconds and counts of what was admitted. */
  counts(subject: string): Map<number, number> {
    return countsIn(this.#open(subject));
  }

  /** Which of Redis's windows has counted what is counted here; 0 for none that Redis surely still has. */
  born(subject: string): number {
    return this.#pool.isOwn(subject) ? bornIn(this.#open(subject)) : 0;
  }

  setBorn(subject: string, born: number): void {
    if (this.#pool.isOwn(subject)) setBorn(this.#open(subject), born);
  }

  /** Every subject with a window of its own. */
  subjects(): string[] {
    return this.#pool.subjects();
  }

  second(): number {
    return Math.floor(this.#clock.now() / 1000);
  }

  #allowance(
    window: SlidingWindow,
    state: Pick<Allowance, 'admitted' | 'limit' | 'used'> & { left: number; leaves: number },
  ): Allowance {
    const { left, leaves, ...rest } = state;
    const wait = leaves - this.#clock.now();
    return {
      ...rest,
      unavailable: false,
      remaining: Math.max(0, left),
      refused: refusedIn(window),
      resetAt: Math.ceil((this.#wallClock.now() + wait) / 1000),
      retryAfter: secondsToWait(wait),
    };
  }

  #open(subject: string): SlidingWindow {
    return this.#pool.open(subject, this.#clock.now());
  }
}
