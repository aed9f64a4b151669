// Core: identifiers. An id is a prefix and a ULID; a registry id also names platform and category.
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
  passkey: 'psk',
  invitation: 'inv',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

const PATTERNS = Object.fromEntries(
  Object.entries(ID_PREFIXES).map(([kind, prefix]) => [kind, new RegExp(`^${prefix}_${ULID}$`)]),
) as Record<IdKind, RegExp>;

// The ULID library asks for one random byte at a time, which would cost more than the rest of an id.
const bytes = new Uint8Array(4_096);
let spent = bytes.length;

function random(): number {
  if (spent === bytes.length) {
    crypto.getRandomValues(bytes);
    spent = 0;
  }
  return (bytes[spent++] ?? 0) / 256;
}

const nextUlid = monotonicFactory(random);

/** A new id. Ids made by one process ascend in the order of their creation. `at` is Unix milliseconds. */
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

/** `PTC-WT-01J…` for the item `itm_01J…`, with the item's ULID. */
export function registryId(platformPrefix: string, category: string, itemId: string): string {
  return `${platformPrefix}-${category}-${itemId.slice(4)}`;
}

const REGISTRY_ID = new RegExp(`^[A-Z]{2,6}-[A-Z0-9]{2,8}-${ULID}$`);

/** The form of a registry id as a regular expression's source, for schemas. */
export const REGISTRY_ID_PATTERN: string = REGISTRY_ID.source;

export function isRegistryId(value: string): boolean {
  return REGISTRY_ID.test(value);
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** By character code. */
const CROCKFORD_VALUES = new Uint8Array(128);
for (let value = 0; value < 32; value++) CROCKFORD_VALUES[CROCKFORD.charCodeAt(value)] = value;

/** The number that the characters of a ULID encode. At most ten characters, which fit a number exactly. */
function numberOf(text: string, from = 0, until = text.length): number {
  let number = 0;
  for (let at = from; at < until; at++) number = number * 32 + (CROCKFORD_VALUES[text.charCodeAt(at)] ?? 0);
  return number;
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/**
 * The 128 bits of a request's ULID as hexadecimal digits, also used as its trace id. Ids made within one millisecond
 * are consecutive, so they must not serve as the random part of a trace id.
 */
export function requestUuid(requestId: string): string {
  let digits = hex(numberOf(requestId, 4, 6), 2);
  for (let at = 6; at < 30; at += 4) digits += (numberOf(requestId, at, at + 4) + 0x100000).toString(16).slice(1);
  return digits;
}

/** Four characters of a ULID: 20 bits. */
const fourOf = (bits: number): string =>
  `${CROCKFORD[bits >> 15]}${CROCKFORD[(bits >> 10) & 31]}${CROCKFORD[(bits >> 5) & 31]}${CROCKFORD[bits & 31]}`;

/** The request id of such a UUID. */
export const requestIdOf = (uuid: string): string => `req_${ulidOf(uuid)}`;

/** The ULID of the same 128 bits. Hyphens are optional. */
export function ulidOf(uuid: string): string {
  const digits = uuid.replaceAll('-', '');
  let text = fourOf(Number.parseInt(digits.slice(0, 2), 16)).slice(2);
  for (let at = 2; at < 32; at += 5) text += fourOf(Number.parseInt(digits.slice(at, at + 5), 16));
  return text;
}

/** The final hexadecimal digits of requestUuid shared by all ids with this ending; at most ten. */
export function uuidEnd(end: string): string {
  const last = end.slice(-8);
  return hex(numberOf(last), 10).slice(-Math.floor((last.length * 5) / 4));
}

/** When the id was made, as Unix milliseconds. */
export const timeOfId = (id: string): number => numberOf(id, 4, 14);
