// Components: counts.
import { LOCALE } from './locale.ts';

const counts = new Intl.NumberFormat(LOCALE);

export const countText = (count: number): string => counts.format(count);

/** `1 key`, `2 keys`; `plural` where it is not just an s. */
export const countOf = (count: number, one: string, plural = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : plural}`;
