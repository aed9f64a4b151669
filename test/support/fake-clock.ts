// Test support: a clock that tests set.

import type { Clock } from '#core/clock.ts';

export class FakeClock implements Clock {
  #ms: number;

  constructor(ms = Date.UTC(2026, 0, 15)) {
    this.#ms = ms;
  }

  now(): number {
    return this.#ms;
  }

  /** Negative to go back in time. */
  advance(ms: number): void {
    this.#ms += ms;
  }
}
