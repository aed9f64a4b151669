// Core: the id of a request's trace, which is the request's own: whoever has one can find the other.

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const VALUES: readonly number[] = Array.from({ length: 128 }, (_, code) => DIGITS.indexOf(String.fromCharCode(code)));

/**
 * The 128 bits of the request id's ULID as 32 hexadecimal digits. The ids of one millisecond differ by one: what is to be
 * random of a trace cannot be taken from them.
 */
export function traceIdOf(requestId: string): string {
  const start = requestId.length - 26;
  // Four digits of a ULID are five hexadecimal ones; the first two are a byte.
  let text = hex(requestId, start, 2, 2);
  for (let at = start + 2; at < requestId.length; at += 4) text += hex(requestId, at, 4, 5);
  return text;
}

function hex(text: string, from: number, digits: number, length: number): string {
  let bits = 0;
  for (let at = from; at < from + digits; at++) bits = bits * 32 + (VALUES[text.charCodeAt(at)] ?? 0);
  return bits.toString(16).padStart(length, '0');
}
