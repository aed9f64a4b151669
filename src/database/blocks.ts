// Database: texts in one piece of memory of a fixed size.

const BLOCK = 2_048;

/** Where a text stands: its blocks, in order, and its bytes. */
export interface Place {
  blocks: readonly number[];
  bytes: number;
}

/**
 * Outside the heap, which grows by more than what is added to it and is gone through again and again; and in blocks of one
 * size, so that however texts come and go, no room is lost between them.
 */
export class Blocks {
  readonly #memory: Buffer;
  readonly #free: number[];

  constructor(bytes: number) {
    const count = Math.floor(bytes / BLOCK);
    // The system gives a page when it is first written.
    this.#memory = Buffer.allocUnsafeSlow(count * BLOCK);
    this.#free = Array.from({ length: count }, (_, at) => count - 1 - at);
  }

  get count(): number {
    return this.#memory.length / BLOCK;
  }

  /** How many blocks the text takes. */
  static needed(text: Buffer): number {
    return Math.ceil(text.length / BLOCK);
  }

  /** Throws RangeError where fewer blocks are free than it takes. */
  write(text: Buffer): Place {
    const needed = Blocks.needed(text);
    if (needed > this.#free.length) throw new RangeError('no room');
    const blocks = this.#free.splice(this.#free.length - needed);
    for (const [at, block] of blocks.entries()) text.copy(this.#memory, block * BLOCK, at * BLOCK, (at + 1) * BLOCK);
    return { blocks, bytes: text.length };
  }

  read({ blocks, bytes }: Place): string {
    const text = Buffer.allocUnsafe(bytes);
    for (const [at, block] of blocks.entries()) this.#memory.copy(text, at * BLOCK, block * BLOCK, (block + 1) * BLOCK);
    return text.toString();
  }

  /** What stood there must not be read any more. */
  release({ blocks }: Place): void {
    this.#free.push(...blocks);
  }
}
