// Core vocabulary: a map of bounded size that forgets what was not used for longest, roughly and at no cost.

/** Holds what was used last, up to about half of `most` by weight, and never more than `most`. */
export class Generations<Value> {
  readonly #half: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();
  #weight = 0;

  constructor(most: number) {
    this.#half = most / 2;
  }

  get(name: string): Value | undefined {
    return this.#young.get(name) ?? this.#old.get(name);
  }

  /** Also for what was just found and shall stay. */
  set(name: string, value: Value, weight = 1): void {
    if (weight > this.#half) return;
    if (!this.#young.has(name)) this.#weight += weight;
    if (this.#weight > this.#half) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#weight = weight;
    }
    this.#young.set(name, value);
  }
}
