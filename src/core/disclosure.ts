// Core: which of a portfolio's items and fields a response carried, in the form that the access record stores.
import type { ScopeSet } from './scopes.ts';

/**
 * The bit of each list of rows that can be included with items, in stored records. Append-only, like the bits of
 * scopes: a bit listed here never changes and is never reused.
 */
export const INCLUDE_BITS = { valuations: 1, documents: 2 } as const;

export type Include = keyof typeof INCLUDE_BITS;

const INCLUDES = Object.keys(INCLUDE_BITS) as readonly Include[];

/** A set of includes as the sum of their bits. */
export type IncludeSet = number;

export const includesOf = (set: IncludeSet): Include[] => INCLUDES.filter((name) => (set & INCLUDE_BITS[name]) !== 0);

/** The items and fields that a response carried. `scopes` and `includes` apply to all of its items. */
export interface Disclosure {
  /**
   * Packed numbers of the items whose fields of `scopes` were sent. Null where an item reported as removed has no
   * number: the call then counts as `unrecorded`.
   */
  items: Buffer | null;
  /** Packed numbers of the items reported as removed, by registry id only. Null where there are none. */
  removed: Buffer | null;
  scopes: ScopeSet;
  includes: IncludeSet;
}

/** Numbers of the items in a response, before packing. */
export interface CarriedItems {
  numbers: readonly number[];
  /** Whether the requested list has no rows. */
  empty: boolean;
  /** An entry is null for an item that was removed before items had numbers, or whose number was not recorded. */
  removed?: readonly (number | null)[] | undefined;
}

const NO_NUMBERS = Buffer.alloc(0);

/** For a response without a body. */
export const NOTHING_DISCLOSED: Disclosure = { items: NO_NUMBERS, removed: null, scopes: 0, includes: 0 };

/**
 * Packs item numbers into bytes: in ascending order, each as its difference from the one before, in groups of seven
 * bits, lowest first; the eighth bit says that more groups follow. 25 items take at most 100 bytes as long as all
 * numbers are below 2^28 (268 million), and at most one more for each further 2^28; 25 consecutive items take about 28.
 */
export function packNumbers(numbers: Iterable<number>): Buffer {
  const ascending = [...new Set(numbers)].sort((one, other) => one - other);
  const bytes: number[] = [];
  let before = 0;
  for (const number of ascending) {
    let distance = number - before;
    before = number;
    while (distance >= 128) {
      bytes.push((distance % 128) + 128);
      distance = Math.floor(distance / 128);
    }
    bytes.push(distance);
  }
  if (bytes.length === 0) return NO_NUMBERS;
  // Copied into its own allocation: cached responses hold it, and a slice would keep a whole shared block alive.
  return Buffer.from(Uint8Array.from(bytes).buffer);
}

export const unpackNumbers = (packed: Uint8Array): number[] => [...numbersIn(packed)];

/** Whether the number is in the packed list. Stops at the first number that is not smaller. */
export function hasNumber(packed: Uint8Array, wanted: number): boolean {
  for (const number of numbersIn(packed)) if (number >= wanted) return number === wanted;
  return false;
}

/** In ascending order. */
function* numbersIn(packed: Uint8Array): Generator<number> {
  let number = 0;
  let scale = 1;
  for (const byte of packed) {
    number += (byte % 128) * scale;
    scale *= 128;
    if (byte >= 128) continue;
    yield number;
    scale = 1;
  }
}
