// Components: counts.
import { MAX_COUNTED_CALLS } from '#core/counted-calls.ts';
import { LOCALE } from './locale.ts';

const counts = new Intl.NumberFormat(LOCALE);

const decimals = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 1 });

export const countText = (count: number): string => counts.format(count);

/** With at most one decimal. */
export const decimalText = (amount: number): string => decimals.format(amount);

/** `1 key`, `2 keys`; `plural` is for irregular plurals. */
export const countOf = (count: number, one: string, plural = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : plural}`;

/** A grant's calls, which are counted up to a bound. */
export const callsText = (count: number): string =>
  count > MAX_COUNTED_CALLS ? `More than ${countOf(MAX_COUNTED_CALLS, 'call')}` : countOf(count, 'call');
