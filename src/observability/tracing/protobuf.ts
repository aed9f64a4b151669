// Tracing: as much of Protocol Buffers as OTLP's messages are written with.

const VARINT = 0;
const LENGTH_DELIMITED = 2;

/** A number of bits that it needs, seven a byte: a whole number of up to 53 bits. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80);
  return Buffer.from([...bytes, left]);
}

/** A field that is a text, bytes or a message. */
export function field(number: number, value: string | Uint8Array): Buffer {
  const bytes = Buffer.from(value as string);
  return Buffer.concat([lengthOf(number, bytes.length), bytes]);
}

/** What stands before a field of so many bytes. */
export const lengthOf = (number: number, length: number): Buffer =>
  Buffer.concat([varint(number * 8 + LENGTH_DELIMITED), varint(length)]);

/** A field that is a whole number, not below 0. */
export const numberField = (number: number, value: number): Buffer =>
  Buffer.concat([varint(number * 8 + VARINT), varint(value)]);
