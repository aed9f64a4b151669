// Core: the Merkle tree of RFC 6962 over tiles of 256 hashes (C2SP tlog-tiles): roots and proofs from stored tiles.
import { getOrInsert } from '../get-or-insert.ts';
import { sha256 } from '../sha256.ts';

export const HASH_BYTES = 32;
/** Hashes of a full tile, which is a perfect tree of this height. */
const TILE_HEIGHT = 8;
export const TILE_WIDTH = 256;

/** Reused input buffers: each entry costs several hashes, and allocating for each would cost more than the hashing. */
const leaf = Buffer.alloc(1 + HASH_BYTES, 0);
const node = Buffer.alloc(1 + 2 * HASH_BYTES, 1);

export const EMPTY_ROOT: Buffer = sha256(Buffer.alloc(0));

/** Entries of this log are hashes themselves, of 32 bytes. */
export function leafHash(entry: Buffer): Buffer {
  if (entry.length !== HASH_BYTES) throw new RangeError('an entry of the log has 32 bytes');
  entry.copy(leaf, 1);
  return sha256(leaf);
}

export function nodeHash(left: Buffer, right: Buffer): Buffer {
  left.copy(node, 1);
  right.copy(node, 1 + HASH_BYTES);
  return sha256(node);
}

/** Reads the concatenated hashes of a tile. `width` is the number of its hashes in the tree, 1 to 256. */
export type ReadTile = (level: number, index: number, width: number) => Promise<Buffer>;

/** Number of hashes at a level of a tree of this size. */
const hashesAt = (size: number, level: number): number => Math.floor(size / TILE_WIDTH ** level);

/** Number of a tile's hashes in a tree of this size; 0 where the tile is not in it. */
export const widthOf = (size: number, level: number, index: number): number =>
  Math.max(0, Math.min(TILE_WIDTH, hashesAt(size, level) - index * TILE_WIDTH));

function hashOf(tile: Buffer, at: number): Buffer {
  const found = tile.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);
  if (found.length !== HASH_BYTES) throw new Error('a tile has fewer hashes than its tree needs');
  return found;
}

/** The root of a perfect tree over these hashes, whose number must be a power of two. */
export const perfectRoot = (hashes: readonly Buffer[]): Buffer => nth(rowsOver(hashes).at(-1) ?? [], 0);

/** The hashes, followed by each row of the perfect trees over them. */
function rowsOver(hashes: readonly Buffer[]): (readonly Buffer[])[] {
  const rows = [hashes];
  for (let row = hashes; row.length > 1; ) {
    const below = row;
    row = Array.from({ length: Math.floor(below.length / 2) }, (_, at) =>
      nodeHash(nth(below, 2 * at), nth(below, 2 * at + 1)),
    );
    rows.push(row);
  }
  return rows;
}

function nth(row: readonly Buffer[], at: number): Buffer {
  const found = row[at];
  if (found === undefined) throw new Error('a tile has fewer hashes than its tree needs');
  return found;
}

/** A tree over stored tiles. Each tile is read at most once. */
export class TiledTree {
  readonly size: number;
  readonly #read: ReadTile;
  readonly #tiles = new Map<string, Promise<(readonly Buffer[])[]>>();
  /** Reads are sequential, because a connection runs one statement at a time. */
  #reading: Promise<unknown> = Promise.resolve();
  constructor(size: number, read: ReadTile) {
    this.size = size;
    this.#read = read;
  }

  root(): Promise<Buffer> {
    return this.size === 0 ? Promise.resolve(EMPTY_ROOT) : this.#range(0, this.size);
  }

  /** Inclusion proof, from the leaf's sibling up to the child of the root (RFC 6962, 2.1.1). */
  async inclusion(index: number): Promise<Buffer[]> {
    if (index < 0 || index >= this.size) throw new RangeError('no such leaf in a tree of this size');
    const path: Promise<Buffer>[] = [];
    let [from, until] = [0, this.size];
    while (until - from > 1) {
      const middle = from + largestPowerBelow(until - from);
      path.unshift(index < middle ? this.#range(middle, until) : this.#range(from, middle));
      if (index < middle) until = middle;
      else from = middle;
    }
    return Promise.all(path);
  }

  /** Proof that the tree of the first `older` leaves is a prefix of this one (RFC 6962, 2.1.2). */
  async consistency(older: number): Promise<Buffer[]> {
    if (older < 0 || older > this.size) throw new RangeError('the older tree is larger');
    if (older === 0 || older === this.size) return [];
    const path: Promise<Buffer>[] = [];
    let [from, until] = [0, this.size];
    let isWhole = true;
    while (older !== until) {
      const middle = from + largestPowerBelow(until - from);
      if (older <= middle) {
        path.unshift(this.#range(middle, until));
        until = middle;
      } else {
        path.unshift(this.#range(from, middle));
        from = middle;
        isWhole = false;
      }
    }
    if (!isWhole) path.unshift(this.#range(from, until));
    return Promise.all(path);
  }

  leaf(index: number): Promise<Buffer> {
    return this.#perfect(0, index);
  }

  /** The hash over the leaves of a range. `from` begins a perfect tree at least as large as the range. */
  async #range(from: number, until: number): Promise<Buffer> {
    const count = until - from;
    const power = largestPowerBelow(count);
    if (count === 1 || power * 2 === count) return this.#perfect(Math.log2(count), from / count);
    return nodeHash(...(await Promise.all([this.#range(from, from + power), this.#range(from + power, until)])));
  }

  /** The root of the perfect tree with this height and index. */
  async #perfect(height: number, index: number): Promise<Buffer> {
    const level = Math.floor(height / TILE_HEIGHT);
    const above = height % TILE_HEIGHT;
    const perTile = TILE_WIDTH / 2 ** above;
    const rows = await this.#tile(level, Math.floor(index / perTile));
    return nth(rows[above] ?? [], index % perTile);
  }

  #tile(level: number, index: number): Promise<(readonly Buffer[])[]> {
    return getOrInsert(this.#tiles, `${level}/${index}`, () => {
      const width = widthOf(this.size, level, index);
      const reading = this.#reading.then(() => this.#read(level, index, width));
      this.#reading = reading.catch(() => {});
      return reading.then((read) => rowsOver(Array.from({ length: width }, (_, at) => hashOf(read, at))));
    });
  }
}

/** The largest power of two below `count`; 1 for 1. */
function largestPowerBelow(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}
