// Tracing: the part of Protocol Buffers that OTLP's messages need.

const VARINT = 0;
const LENGTH_DELIMITED = 2;

/** A varint, seven bits a byte, of an integer of up to 53 bits. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80);
  return Buffer.from([...bytes, left]);
}

/** A field with a text, bytes or a message. */
export function field(number: number, value: string | Uint8Array): Buffer {
  const bytes = Buffer.from(value as string);
  return Buffer.concat([lengthOf(number, bytes.length), bytes]);
}

/** Tag and length before a field of this many bytes. */
export const lengthOf = (number: number, length: number): Buffer =>
  Buffer.concat([varint(number * 8 + LENGTH_DELIMITED), varint(length)]);

/** A field with a non-negative integer. */
export const numberField = (number: number, value: number): Buffer =>
  Buffer.concat([varint(number * 8 + VARINT), varint(value)]);
