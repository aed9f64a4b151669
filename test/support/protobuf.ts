// Test support: reads Protocol Buffers field by field, without a schema.

/** The value of a field: a number for a varint, otherwise bytes. */
export type FieldValue = bigint | Buffer;

/** The fields of a message by number, in order. Throws if the message is truncated, or a wire type unknown. */
export function fieldsOf(message: Buffer): Map<number, FieldValue[]> {
  const fields = new Map<number, FieldValue[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let bits = 0n; ; bits += 7n) {
      const byte = message.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << bits;
      if (byte < 0x80) return value;
    }
  };
  const bytes = (length: number): Buffer => {
    at += length;
    if (at > message.length) throw new Error('a field is longer than its message');
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const tag = Number(varint());
    const type = tag & 7;
    const value = type === 0 ? varint() : bytes(type === 2 ? Number(varint()) : fixedLength(type));
    const number = tag >>> 3;
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

function fixedLength(type: number): number {
  if (type === 1) return 8;
  if (type === 5) return 4;
  throw new Error(`no field has the type ${type}`);
}

/** The messages in a repeated field. */
export const messagesIn = (message: Buffer, number: number): Buffer[] =>
  (fieldsOf(message).get(number) ?? []).map((value) => value as Buffer);
