// Components: what is wrong with an end that was picked.

/** In a sentence, null where nothing is. `at`: RFC 3339; null: no end; empty: a day that is still to be chosen. */
export function expiryFault(at: string | null): string | null {
  if (at === null) return null;
  if (at === '') return 'Choose a day.';
  return Date.parse(at) <= Date.now() ? 'Choose a day to come.' : null;
}
