// Repositories: what a file of the archive is known by: its length, and the SHA-256 of all of it and of each block.
import { createHash } from 'node:crypto';

/** Files are checked by blocks of so many bytes, so that reading a part need not read all. */
export const BLOCK_BYTES = 1_048_576;

export interface FileSums {
  bytes: number;
  /** Hexadecimal, as the next. */
  sha256: string;
  /** SHA-256 of each block; the last may be shorter. */
  blocks: string[];
}

/** Sums up a file as it is written or read, in pieces of any length. */
export class FileSummer {
  readonly #whole = createHash('sha256');
  readonly #blocks: string[] = [];
  #block = createHash('sha256');
  #bytes = 0;

  add(piece: Buffer): void {
    this.#whole.update(piece);
    for (let rest = piece; rest.length > 0; ) {
      const part = rest.subarray(0, BLOCK_BYTES - (this.#bytes % BLOCK_BYTES));
      this.#block.update(part);
      this.#bytes += part.length;
      rest = rest.subarray(part.length);
      if (this.#bytes % BLOCK_BYTES === 0) this.#endBlock();
    }
  }

  /** Of all that was added; nothing can be added afterwards. */
  end(): FileSums {
    if (this.#bytes % BLOCK_BYTES !== 0) this.#endBlock();
    return { bytes: this.#bytes, sha256: this.#whole.digest('hex'), blocks: this.#blocks };
  }

  #endBlock(): void {
    this.#blocks.push(this.#block.digest('hex'));
    this.#block = createHash('sha256');
  }
}
