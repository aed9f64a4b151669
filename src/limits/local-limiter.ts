// The limiter in this process's memory: the store where there is no Redis, and the one that stands in for it.

import type { Clock } from '#core/clock.ts';
import { type Allowance, type Limiter, MAX_LIMIT } from '#limits/limiter.ts';
import { admit, leavesAt, refuse, refusedIn, type SlidingWindow, usedIn, withdraw } from '#limits/sliding-window.ts';
import { WindowPool } from '#limits/window-pool.ts';

/** What `reserve` returns instead of a second when the limit is reached. */
export const REFUSED = -1;

export class LocalLimiter implements Limiter {
  readonly #clock: Clock;
  readonly #pool: WindowPool;

  /** `capacity`: subjects with a window of their own; beyond it they share windows, which errs on the strict side. */
  constructor(clock: Clock, capacity?: number) {
    this.#clock = clock;
    this.#pool = new WindowPool(capacity);
  }

  async take(subject: string, limit: number): Promise<Allowance> {
    const second = this.reserve(subject, limit);
    if (second === REFUSED) this.refuse(subject);
    return this.look(subject, limit, second !== REFUSED);
  }

  async peek(subject: string, limit: number): Promise<Allowance> {
    return this.look(subject, limit, false);
  }

  /** Counts a request if it fits; the second it was counted in, for `release`, or REFUSED. */
  reserve(subject: string, limit: number): number {
    const window = this.#open(subject);
    return usedIn(window) < Math.min(limit, MAX_LIMIT) ? admit(window) : REFUSED;
  }

  /** Takes back a reservation. */
  release(subject: string, second: number): void {
    withdraw(this.#open(subject), second);
  }

  refuse(subject: string): void {
    refuse(this.#open(subject));
  }

  used(subject: string): number {
    return usedIn(this.#open(subject));
  }

  /** The subject's allowance as it is now; counts nothing. */
  look(subject: string, limit: number, admitted: boolean): Allowance {
    const window = this.#open(subject);
    const used = usedIn(window);
    const bounded = Math.min(limit, MAX_LIMIT);
    const resetAt = leavesAt(window, bounded);
    return {
      admitted,
      unavailable: false,
      limit,
      used,
      remaining: Math.max(0, bounded - used),
      refused: refusedIn(window),
      resetAt,
      retryAfter: resetAt - this.#second(),
    };
  }

  #open(subject: string): SlidingWindow {
    return this.#pool.open(subject, this.#second());
  }

  #second(): number {
    return Math.floor(this.#clock.now() / 1000);
  }
}
