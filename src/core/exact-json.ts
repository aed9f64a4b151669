// Core: JSON whose numbers are checked as they are written. A parsed number is only exact to about 15 digits.

type SourceReviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown;
const parse = JSON.parse as (text: string, reviver: SourceReviver) => unknown;

/** JSON.parse, with each number replaced by the result of `read` for its value and source text. */
export function parseNumbers(text: string, read: (value: number, source: string) => unknown): unknown {
  return parse(text, (_key, value, { source = '' }) => (typeof value === 'number' ? read(value, source) : value));
}

/** Whether the number equals its source text to the last digit. */
export function isExact(value: number, source: string): boolean {
  return decimalOf(String(value)) === decimalOf(source);
}

const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);

/** Reads a decimal int64; null for any other text, also with plus, leading zeros, a fraction or an exponent. */
export function readInt64(text: string): string | null {
  if (!/^-?(?:0|[1-9]\d{0,18})$/.test(text)) return null;
  const value = BigInt(text);
  return value >= MIN_INT64 && value <= MAX_INT64 ? String(value) : null;
}

/**
 * The canonical form of a number: its digits without leading and trailing zeros, and the exponent of the last digit.
 */
function decimalOf(text: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return end === 0 ? '0' : `${digits.slice(0, end)}e${digits.length - end - fraction.length + Number(exponent)}`;
}
