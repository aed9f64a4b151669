// Components: money and counts.
import { LOCALE } from './locale.ts';

const counts = new Intl.NumberFormat(LOCALE);

const signs = new Map(counts.formatToParts(-1_234_567.8).map(({ type, value }) => [type, value]));

export const countText = (count: number): string => counts.format(count);

/** `1 key`, `2 keys`; `plural` where it is not just an s. */
export const countOf = (count: number, one: string, plural = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : plural}`;

interface MoneyProps {
  /** Decimal text with the currency's own decimals; never made a float. */
  amount: string;
  currency: string;
}

export function Money({ amount, currency }: MoneyProps) {
  const [whole = '', fraction] = amount.split('.');
  // By the text: a large amount is more than a float can hold. Groups as the locale has them need an integer.
  const grouped = counts.format(BigInt(whole));
  return (
    <span className="numbers">
      {currency} {fraction === undefined ? grouped : `${grouped}${signs.get('decimal')}${fraction}`}
    </span>
  );
}
