// Database: lists in PostgreSQL's binary format, which needs no parsing and half the space for times and bytes.
import { DAY_MS } from '#core/timestamps.ts';

/** How values of a type are written. */
interface ElementType {
  oid: number;
  size: (value: never) => number;
  write: (into: Buffer, value: never, at: number) => void;
}

const elementType = <Value>(
  oid: number,
  size: (value: Value) => number,
  write: (into: Buffer, value: Value, at: number) => void,
): ElementType => ({ oid, size, write });

const fixed = <Value>(
  oid: number,
  bytes: number,
  write: (into: Buffer, value: Value, at: number) => void,
): ElementType => elementType(oid, () => bytes, write);

const EPOCH_MS = Date.UTC(2000, 0, 1);
const HALF = 2 ** 32;

/** Buffer's write methods would accept other values as some number. */
function whole(value: number): number {
  if (!Number.isSafeInteger(value)) throw new TypeError(`${value} is not a whole number`);
  return value;
}

function writeBigint(into: Buffer, value: number, at: number): void {
  whole(value);
  const high = Math.floor(value / HALF);
  into.writeInt32BE(high, at);
  into.writeUInt32BE(value - high * HALF, at + 4);
}

const TYPES = {
  boolean: fixed<boolean>(16, 1, (into, value, at) => into.writeUInt8(value ? 1 : 0, at)),
  bytea: elementType<Buffer>(
    17,
    (value) => value.length,
    (into, value, at) => value.copy(into, at),
  ),
  bigint: fixed<number>(20, 8, writeBigint),
  smallint: fixed<number>(21, 2, (into, value, at) => into.writeInt16BE(whole(value), at)),
  integer: fixed<number>(23, 4, (into, value, at) => into.writeInt32BE(whole(value), at)),
  text: elementType<string>(
    25,
    (value) => Buffer.byteLength(value),
    (into, value, at) => into.write(value, at),
  ),
  /** `2026-01-15`. */
  date: fixed<string>(1082, 4, (into, value, at) =>
    into.writeInt32BE(whole((Date.parse(value) - EPOCH_MS) / DAY_MS), at),
  ),
  /** RFC 3339 in UTC. */
  timestamptz: fixed<string>(1184, 8, (into, value, at) =>
    writeBigint(into, (Date.parse(value) - EPOCH_MS) * 1_000, at),
  ),
  /** 32 hexadecimal digits. */
  uuid: fixed<string>(2950, 16, (into, value, at) => {
    if (into.write(value, at, 16, 'hex') !== 16) throw new TypeError(`${value} is not an id`);
  }),
} as const;

export type ListedType = keyof typeof TYPES;

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;

/** The parameter for `$n::type[]`. Values must have the form of the type. */
export function binaryList(type: ListedType, values: readonly unknown[]): Buffer {
  const { oid, size, write } = TYPES[type];
  const isNull = (value: unknown): value is null | undefined => value === null || value === undefined;
  let length = HEADER_BYTES + LENGTH_BYTES * values.length;
  let nulls = 0;
  for (const value of values) {
    if (isNull(value)) nulls = 1;
    else length += size(value as never);
  }
  const list = Buffer.allocUnsafe(length);
  // Number of dimensions, whether any value is null, element type, length, and index of the first element.
  for (const [at, word] of [1, nulls, oid, values.length, 1].entries()) list.writeInt32BE(word, at * 4);
  let at = HEADER_BYTES;
  for (const value of values) {
    const bytes = isNull(value) ? -1 : size(value as never);
    list.writeInt32BE(bytes, at);
    at += LENGTH_BYTES;
    if (bytes === -1) continue;
    write(list, value as never, at);
    at += bytes;
  }
  return list;
}
