// Core: money as decimal text with the number of decimals of its currency (ISO 4217); never a float.
import currencyCodes from 'currency-codes';

export interface Money {
  /** Decimal text, e.g. `12500.00`. */
  amount: string;
  /** ISO 4217 alphabetic code. */
  currency: string;
}

/** By code. XCG is in ISO 4217, but not in the package's list yet. */
const DECIMALS: ReadonlyMap<string, number> = new Map([
  ['XCG', 2],
  ...currencyCodes.data.map(({ code, digits }) => [code, digits] as const),
]);

const AMOUNT = /^(\d{1,20})(?:\.(\d{1,20}))?$/;

/** Decimals of the currency, or null when ISO 4217 does not list the code. */
export const currencyDecimals = (currency: string): number | null => DECIMALS.get(currency) ?? null;

/**
 * Writes an amount with exactly the currency's decimals (`"5"` USD → `"5.00"`). Null when the text is not an amount, or
 * has more decimals than the currency, even if they are zeros.
 */
export function normaliseAmount(amount: string, currency: string): string | null {
  const decimals = currencyDecimals(currency);
  const match = AMOUNT.exec(amount);
  if (decimals === null || match === null) return null;
  const [, whole = '', fraction = ''] = match;
  if (fraction.length > decimals) return null;
  const integer = whole.replace(/^0+(?=\d)/, '');
  return decimals === 0 ? integer : `${integer}.${fraction.padEnd(decimals, '0')}`;
}

/**
 * An amount as stored (as written by hand, it may have any number of decimals) with its currency's decimals, or more
 * where it has further non-zero decimals.
 */
export function servedAmount(stored: string, currency: string): string {
  const decimals = currencyDecimals(currency);
  const point = stored.indexOf('.');
  if (decimals === null || decimals === (point < 0 ? 0 : stored.length - point - 1)) return stored;
  const [whole = '', fraction = ''] = stored.split('.');
  const kept = fraction.replace(/0+$/, '').padEnd(decimals, '0');
  return kept === '' ? whole : `${whole}.${kept}`;
}

/**
 * The exact sum of decimal texts, with the currency's decimals, or more where the sum has further non-zero decimals.
 */
export function addAmounts(amounts: readonly string[], currency: string): string {
  const places = Math.max(0, ...amounts.map((amount) => amount.split('.')[1]?.length ?? 0));
  const sum = amounts.reduce((total, amount) => {
    const [whole = '0', fraction = ''] = amount.split('.');
    return total + BigInt(whole + fraction.padEnd(places, '0'));
  }, 0n);
  const digits = sum.toString().padStart(places + 1, '0');
  const text = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
  return servedAmount(text, currency);
}
