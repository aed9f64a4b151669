// Data room: rows as they were last read, so that what did not change need not be read and taken apart again.

import { LRUCache } from 'lru-cache';
import type { Edition } from '#core/principal.ts';
import { Packing } from '../packed.ts';

const BYTES_PER_MB = 1_048_576;
/** Bytes of an entry besides its rows: objects, and its place in the map. */
const OVERHEAD = 400;
/** Readings among which one must come again for its rows to be kept. */
const MOST_SEEN = 1_000;

const PACKING = new Packing();

/** What is true of rows in an edition of the portfolio. */
export interface Standing {
  edition: Edition | null;
  /** All rows of the query, whatever the slice. */
  total: number;
  /** What the statement saw that said so. */
  snapshot: string;
}

/** Rows, and the state they were read in, of which the database says whether it is still the present one. */
export class Kept {
  readonly state: string;
  /** As the database last said, at whichever request. */
  standing: Standing | null = null;
  /** A fraction of the room that the rows themselves take, and nothing for the garbage collector to go through. */
  readonly #packed: string;
  /** The rows themselves, for as long as there is room for them anyhow; null where there never would be. */
  #rows: WeakRef<readonly unknown[]> | null;

  constructor(state: string, rows: readonly unknown[], withinReach: boolean) {
    this.state = state;
    this.#packed = PACKING.pack(rows);
    this.#rows = withinReach ? new WeakRef(rows) : null;
  }

  /** Shared by all who ask: not to be changed. */
  get rows(): readonly unknown[] {
    let rows = this.#rows?.deref();
    if (rows === undefined) {
      rows = PACKING.unpack(this.#packed) as unknown[];
      if (this.#rows !== null) this.#rows = new WeakRef(rows);
    }
    return rows;
  }

  get characters(): number {
    return this.state.length + this.#packed.length;
  }
}

/**
 * Nothing comes from here that the database has not just vouched for: each statement reads afresh which items the view
 * lets through and what their revisions are, and leaves their columns out only where that is what is kept here. The
 * revision moves with whatever a partner may notice of an item, its valuations and documents included, in the same
 * transaction.
 */
export class AssetMemory {
  readonly #kept: LRUCache<string, Kept> | null;
  /** States in which rows were read, by their name. */
  readonly #seen = new LRUCache<string, string>({ max: MOST_SEEN });

  /** `most`: megabytes, of text whose characters have one byte each; 0 remembers nothing. */
  constructor(most: number) {
    const sizeCalculation = (kept: Kept, name: string) => kept.characters + name.length + OVERHEAD;
    this.#kept = most === 0 ? null : new LRUCache({ maxSize: most * BYTES_PER_MB, sizeCalculation });
  }

  /** To be held from before the database is asked until its answer is there: by then others may have replaced it. */
  find(name: string): Kept | undefined {
    return this.#kept?.get(name);
  }

  /**
   * Keeps what is read for the second time: whoever walks through a portfolio once does not crowd out what others read
   * again and again. `withinReach`: whether the rows may stay beside their text; such as are many for a request would only
   * crowd others out.
   */
  keep(name: string, state: string, rows: readonly unknown[], withinReach: boolean): void {
    if (this.#kept === null) return;
    const again = this.#seen.get(name) === state;
    this.#seen.set(name, state);
    if (again) this.#kept.set(name, new Kept(state, rows, withinReach));
  }
}
