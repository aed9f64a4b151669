// Repositories: rows as they were last read, so that what did not change need not be read and taken apart again.
import { LRUCache } from 'lru-cache';
import type { Edition } from '#core/principal.ts';
import { Blocks, type Place } from '#database/blocks.ts';
import { Packing } from '#database/packed.ts';

const BYTES_PER_MB = 1_048_576;
/** Each takes some room in the heap too: its name and its state. */
const MAX_KEPT = 4_000;
/** Readings among which one must come again for its rows to be kept. */
const MAX_SEEN = 1_000;

/** What is true of rows in an edition of the portfolio. */
export interface Standing {
  edition: Edition | null;
  /** All rows of the query, whatever the slice. */
  total: number;
  /** What the statement saw that said so. */
  snapshot: string;
}

/** Rows, and the state they were read in, of which the database says whether it is still the present one. */
export interface Kept {
  readonly state: string;
  /** As the database last said, at whichever request. */
  standing: Standing | null;
  /**
   * Shared by all who ask: not to be changed. To be taken before anything is waited for: by then others may have their
   * place.
   */
  readonly rows: readonly unknown[];
}

class Entry implements Kept {
  readonly state: string;
  standing: Standing | null = null;
  /** Where the rows are written; null before they are, and once others have their place. */
  place: Place | null = null;
  readonly #read: (place: Place) => readonly unknown[];
  /** The rows themselves, for as long as there is room for them anyhow; null where there never would be. */
  #rows: WeakRef<readonly unknown[]> | null;

  constructor(
    state: string,
    rows: readonly unknown[],
    withinReach: boolean,
    read: (place: Place) => readonly unknown[],
  ) {
    this.state = state;
    this.#read = read;
    this.#rows = withinReach ? new WeakRef(rows) : null;
  }

  get rows(): readonly unknown[] {
    let rows = this.#rows?.deref();
    if (rows === undefined) {
      if (this.place === null) throw new Error('rows were asked for after others had taken their place');
      rows = this.#read(this.place);
      if (this.#rows !== null) this.#rows = new WeakRef(rows);
    }
    return rows;
  }
}

/**
 * Nothing comes from here that the database has not just vouched for: each statement reads afresh which items the view
 * lets through and what their revisions are, and leaves their columns out only where that is what is kept here; or
 * admission has found the portfolio unchanged since it did. The revision moves with whatever a partner may notice of an
 * item, its valuations and documents included, in the same transaction.
 */
export class AssetMemory {
  readonly #blocks: Blocks;
  readonly #packing = new Packing();
  readonly #kept: LRUCache<string, Entry> | null;
  readonly #read = (place: Place) => this.#packing.unpack(this.#blocks.read(place)) as unknown[];
  /** States in which rows were read, by their name. */
  readonly #seen = new LRUCache<string, string>({ max: MAX_SEEN });

  /** `most`: megabytes; 0 remembers nothing. */
  constructor(most: number) {
    this.#blocks = new Blocks(most * BYTES_PER_MB);
    const dispose = (entry: Entry) => this.#giveUp(entry);
    this.#kept = most === 0 ? null : new LRUCache({ max: MAX_KEPT, maxSize: this.#blocks.count, dispose });
  }

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
    if (!again) return;
    const text = Buffer.from(this.#packing.pack(rows));
    const entry = new Entry(state, rows, withinReach, this.#read);
    // Others make room; or it is not set, where there is not so much room at all.
    this.#kept.set(name, entry, { size: Blocks.needed(text) });
    if (this.#kept.peek(name) === entry) entry.place = this.#blocks.write(text);
  }

  #giveUp(entry: Entry): void {
    if (entry.place !== null) this.#blocks.release(entry.place);
    entry.place = null;
  }
}
