// Limits: the limiter in process memory. Without Redis it decides; with Redis it records what this gateway admitted.

import type { Clock } from '#core/clock.ts';
import { type Allowance, asDecided, type Limited, Limiter, MAX_LIMIT, secondsToWait } from './limiter.ts';
import {
  admit,
  bornIn,
  boundIn,
  countsIn,
  heldIn,
  leavesAt,
  refuse,
  refusedIn,
  retainedIn,
  retainedUntil,
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
   * `clock` must be monotonic: after a change, requests that left their window early would be admitted again.
   * `wallClock` is for `resetAt`. `capacity` is the number of subjects with their own window. Beyond it subjects share
   * windows, which can only refuse too much.
   */
  constructor(clock: Clock, { wallClock = clock, capacity }: { wallClock?: Clock; capacity?: number } = {}) {
    super();
    this.#clock = clock;
    this.#wallClock = wallClock;
    this.#pool = new WindowPool(capacity);
  }

  async takeAll(subjects: readonly Limited[]): Promise<Allowance[]> {
    const reached = subjects.filter(({ subject, limit }) => !this.hasRoom(subject, limit));
    const admitted = reached.length === 0;
    for (const { subject } of subjects) {
      if (admitted) this.count(subject);
      else this.refuse(subject);
    }
    return subjects.map((one) => {
      const { subject, limit } = one;
      return asDecided(this.allowance(subject, limit, admitted), reached.includes(one));
    });
  }

  async peek(subject: string, limit: number): Promise<Allowance> {
    return this.allowance(subject, limit, false);
  }

  /** Counts a request as admitted, regardless of the limit. Returns the second in which it was counted. */
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

  /** The number of requests counted here that are certainly in Redis's window for at least another second. */
  held(subject: string): number {
    return heldIn(this.#open(subject));
  }

  /** What a gateway deciding alone may still admit by its allotment and Redis's last answer. Negative when over it. */
  left(subject: string, allotment: number): number {
    const window = this.#open(subject);
    return Math.min(allotment, boundIn(window)) - retainedIn(window);
  }

  /** Records from an answer of Redis that `remaining` of the limit is this gateway's part. */
  bound(subject: string, remaining: number): void {
    const window = this.#open(subject);
    setBound(window, usedIn(window) + remaining);
  }

  /** The subject's present allowance. Counts nothing. */
  allowance(subject: string, limit: number, admitted: boolean): Allowance {
    const window = this.#open(subject);
    const used = usedIn(window);
    const bounded = Math.min(limit, MAX_LIMIT);
    return this.#makeAllowance(window, {
      admitted,
      limit,
      used,
      left: bounded - used,
      leaves: leavesAt(window, bounded),
    });
  }

  /** Like `allowance`, for a gateway that decides alone and may admit `allotment` of the limit. */
  allowanceAlone(subject: string, limit: number, allotment: number, admitted: boolean): Allowance {
    const window = this.#open(subject);
    const used = usedIn(window);
    const own = Math.min(allotment, boundIn(window));
    const left = Math.min(limit - used, own - retainedIn(window));
    const leaves = Math.max(leavesAt(window, limit), retainedUntil(window, own));
    return this.#makeAllowance(window, { admitted, limit, used, left, leaves });
  }

  /** Whether the subject has its own window. */
  isOwn(subject: string): boolean {
    return this.#pool.isOwn(subject);
  }

  /** Admitted requests by second. */
  counts(subject: string): Map<number, number> {
    return countsIn(this.#open(subject));
  }

  /** The `born` of the Redis window that counted these requests; 0 where Redis may have dropped it. */
  born(subject: string): number {
    return this.#pool.isOwn(subject) ? bornIn(this.#open(subject)) : 0;
  }

  setBorn(subject: string, born: number): void {
    if (this.#pool.isOwn(subject)) setBorn(this.#open(subject), born);
  }

  /** Every subject with its own window. */
  subjects(): string[] {
    return this.#pool.subjects();
  }

  second(): number {
    return Math.floor(this.#clock.now() / 1000);
  }

  #makeAllowance(
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
