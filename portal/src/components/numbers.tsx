// Components: money and counts.

const counts = new Intl.NumberFormat('en-GB');

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
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return (
    <span className="numbers">
      {currency} {fraction === undefined ? grouped : `${grouped}.${fraction}`}
    </span>
  );
}
