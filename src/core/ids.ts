// Core: identifiers. An id is a prefix and a ULID; a registry id also names platform and category.
import { randomFillSync } from 'node:crypto';
import { monotonicFactory } from 'ulid';

const ULID = '[0-7][0-9A-HJKMNP-TV-Z]{25}';

export const ID_PREFIXES = {
  firm: 'frm',
  user: 'usr',
  key: 'key',
  grant: 'grt',
  item: 'itm',
  valuation: 'val',
  document: 'doc',
  collection: 'col',
  share_link: 'shl',
  request: 'req',
  plant_token: 'ptk',
  service_token: 'stk',
  event: 'evt',
  account: 'acc',
  session: 'ses',
  credential: 'crd',
  verification: 'vrf',
  second_factor: 'tfa',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

const PATTERNS = Object.fromEntries(
  Object.entries(ID_PREFIXES).map(([kind, prefix]) => [kind, new RegExp(`^${prefix}_${ULID}$`)]),
) as Record<IdKind, RegExp>;

// The library asks for one random byte at a time, which costs more than all the rest of an id.
const bytes = new Uint8Array(4_096);
let spent = bytes.length;

function random(): number {
  if (spent === bytes.length) {
    randomFillSync(bytes);
    spent = 0;
  }
  return (bytes[spent++] ?? 0) / 256;
}

const nextUlid = monotonicFactory(random);

/** A new id; ids of one process ascend in the order they were made. `at` is Unix milliseconds. */
export function newId(kind: IdKind, at?: number): string {
  return `${ID_PREFIXES[kind]}_${nextUlid(at)}`;
}

export function isId(kind: IdKind, value: string): boolean {
  return PATTERNS[kind].test(value);
}

/** The form of an id as a regular expression's source, for schemas. */
export function idPattern(kind: IdKind): string {
  return PATTERNS[kind].source;
}

/** `PTC-WT-01J…` for the item `itm_01J…`: the ULID is the item's own. */
export function registryId(platformPrefix: string, category: string, itemId: string): string {
  return `${platformPrefix}-${category}-${itemId.slice(4)}`;
}

const REGISTRY_ID = new RegExp(`^[A-Z]{2,6}-[A-Z0-9]{2,8}-${ULID}$`);

/** The form of a registry id as a regular expression's source, for schemas. */
export const REGISTRY_ID_PATTERN: string = REGISTRY_ID.source;

export function isRegistryId(value: string): boolean {
  return REGISTRY_ID.test(value);
}
