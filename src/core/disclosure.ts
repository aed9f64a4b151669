// Core: what an answer carried of a portfolio, in the form that the access record keeps.
import type { ScopeSet } from './scopes.ts';

/**
 * The bit of each list of rows that can come with items, in stored records. Append-only, like the bits of scopes: a bit that
 * is here never changes and is never used for another.
 */
export const INCLUDE_BITS = { valuations: 1, documents: 2 } as const;

export type Include = keyof typeof INCLUDE_BITS;

const INCLUDES = Object.keys(INCLUDE_BITS) as readonly Include[];

/** A set of them as the sum of their bits. */
export type IncludeSet = number;

export const includesOf = (set: IncludeSet): Include[] => INCLUDES.filter((name) => (set & INCLUDE_BITS[name]) !== 0);

/** What of its items an answer carries. Each member is the same for all of them. */
export interface Disclosure {
  /** Items with fields of `scopes`, packed; null where they have no number, and so are not known afterwards. */
  items: Buffer | null;
  /** Items told as removed, of which nothing but the registry id was told, packed; null where none. */
  removed: Buffer | null;
  scopes: ScopeSet;
  includes: IncludeSet;
}

/** Items that an answer carries, by number, before they are packed. */
export interface CarriedItems {
  numbers: readonly number[];
  /** Whether the list that was asked for has no rows. */
  empty: boolean;
  /** Null among them: removed before items had numbers, or by no ordinary way. */
  removed?: readonly (number | null)[] | undefined;
}

const NO_NUMBERS = Buffer.alloc(0);

/** Of an answer without a body. */
export const NOTHING_DISCLOSED: Disclosure = { items: NO_NUMBERS, removed: null, scopes: 0, includes: 0 };

/**
 * Numbers of items as bytes: ascending, each as its distance to the one before, in groups of seven bits, the lowest first;
 * the eighth bit says that more follow. 25 items take at most 100 bytes as long as all numbers are below 2^28 (268 million),
 * and at most one more for each further 2^28; 25 neighbours take some 28.
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
  // In memory of its own: kept responses hold it, and would hold the block that it shared.
  return Buffer.from(Uint8Array.from(bytes).buffer);
}

export const unpackNumbers = (packed: Uint8Array): number[] => [...numbersIn(packed)];

/** Whether this number is among those packed. Looks no further than it has to. */
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
