// Core: JSON whose numbers are looked at as they were written: what becomes of them keeps some 15 digits.

type SourceReviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown;
const parse = JSON.parse as (text: string, reviver: SourceReviver) => unknown;

/** As JSON.parse, with what `read` makes of each number and its text in the number's place. */
export function parseNumbers(text: string, read: (value: number, source: string) => unknown): unknown {
  return parse(text, (_key, value, { source = '' }) => (typeof value === 'number' ? read(value, source) : value));
}

/** Whether the number is what its text says, to the last digit. */
export function isExact(value: number, source: string): boolean {
  return decimalOf(String(value)) === decimalOf(source);
}

const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);

/** An int64 in decimal, or null: no sign but minus, no leading zeros, no fraction, no exponent. */
export function readInt64(text: string): string | null {
  if (!/^-?(?:0|[1-9]\d{0,18})$/.test(text)) return null;
  const value = BigInt(text);
  return value >= MIN_INT64 && value <= MAX_INT64 ? String(value) : null;
}

/** Each number in one form: its digits without zeros at either end, and the power of ten of the last. */
function decimalOf(text: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return end === 0 ? '0' : `${digits.slice(0, end)}e${digits.length - end - fraction.length + Number(exponent)}`;
}
