// Repositories: length and SHA-256 of a file of the archive, as a whole and by block.
import { createHash } from 'node:crypto';

/** Bytes of a block. Files are verified by block, so that reading a part does not require reading all. */
export const BLOCK_BYTES = 1_048_576;

export interface FileSums {
  bytes: number;
  /** Hexadecimal, like `blocks`. */
  sha256: string;
  /** SHA-256 of each block; the last may be shorter. */
  blocks: string[];
}

/** Hashes a file as it is written or read, in pieces of any length. */
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

  /** The sums of all data. Nothing can be added afterwards. */
  end(): FileSums {
    if (this.#bytes % BLOCK_BYTES !== 0) this.#endBlock();
    return { bytes: this.#bytes, sha256: this.#whole.digest('hex'), blocks: this.#blocks };
  }

  #endBlock(): void {
    this.#blocks.push(this.#block.digest('hex'));
    this.#block = createHash('sha256');
  }
}
