// Limits: requests admitted without Redis that it must be told of, by subject and second.

import { BUCKETS } from './sliding-window.ts';

/** Old entries checked at each addition, so that the number of entries stays close to those within a window. */
const SWEEP = 4;

/** Maximum number of subjects. */
const CAPACITY = 262_144;

export class UnreportedCounts {
  /** Least recently changed first. */
  readonly #subjects = new Map<string, { newest: number; counts: Map<number, number> }>();

  get size(): number {
    return this.#subjects.size;
  }

  /** Whether there is no room for another subject. Requests that cannot be told later must not be admitted. */
  full(subject: string): boolean {
    return this.#subjects.size >= CAPACITY && !this.#subjects.has(subject);
  }

  has(subject: string): boolean {
    return this.#subjects.has(subject);
  }

  subjects(): string[] {
    return [...this.#subjects.keys()];
  }

  /** `count` is negative where Redis has counted a request that was refused here. */
  add(subject: string, second: number, count: number): void {
    const { newest = second, counts = new Map<number, number>() } = this.#subjects.get(subject) ?? {};
    for (const old of counts.keys()) if (old <= second - BUCKETS) counts.delete(old);
    counts.set(second, (counts.get(second) ?? 0) + count);
    this.#subjects.delete(subject);
    this.#subjects.set(subject, { newest: Math.max(newest, second), counts });
    let checked = 0;
    for (const [other, entry] of this.#subjects) {
      if (checked++ === SWEEP || entry.newest > second - BUCKETS) return;
      this.#subjects.delete(other);
    }
  }

  /** Removes and returns the entry of a subject. */
  take(subject: string): Map<number, number> {
    const counts = this.#subjects.get(subject)?.counts ?? new Map<number, number>();
    this.#subjects.delete(subject);
    return counts;
  }
}
