// Gateway: a set of leaves as a bitmap.

export class Bits {
  #bytes = new Uint8Array(1_024);

  /** Returns whether the number was already in the set. */
  add(number: number): boolean {
    const at = Math.floor(number / 8);
    if (at >= this.#bytes.length) {
      const larger = new Uint8Array(Math.max(at + 1, this.#bytes.length * 2));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    const there = this.has(number);
    this.#bytes[at] = (this.#bytes[at] ?? 0) | (1 << (number % 8));
    return there;
  }

  has(number: number): boolean {
    return ((this.#bytes[Math.floor(number / 8)] ?? 0) & (1 << (number % 8))) !== 0;
  }
}
