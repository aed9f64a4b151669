// A clock that tests turn by hand.

import type { Clock } from '#core/clock.ts';

export class FakeClock implements Clock {
  #ms: number;

  constructor(ms = Date.UTC(2026, 0, 15)) {
    this.#ms = ms;
  }

  now(): number {
    return this.#ms;
  }

  /** Negative to go back. */
  advance(ms: number): void {
    this.#ms += ms;
  }
}
