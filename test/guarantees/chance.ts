// Seeded random choices for tests; their titles or messages name the seed.

export class Chance {
  readonly seed: number;
  #state: number;

  /** `PORTICO_SEED` repeats the choices of a run, but not its interleaving. */
  constructor(seed = Number(process.env.PORTICO_SEED ?? Math.floor(Math.random() * 2 ** 31))) {
    this.seed = seed;
    this.#state = seed >>> 0;
  }

  /** An independent stream derived from the same seed. */
  fork(index: number): Chance {
    return new Chance((this.seed + Math.imul(index + 1, 0x9e3779b1)) >>> 0);
  }

  /** 0 ≤ value < 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  likely(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Value>(values: readonly Value[]): Value {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  }
}
