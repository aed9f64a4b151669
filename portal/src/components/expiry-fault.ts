// Components: validation of a chosen expiry.

/** An error message; null if valid. `at`: RFC 3339; null for no expiry; empty if a day is still to be chosen. */
export function expiryFault(at: string | null): string | null {
  if (at === null) return null;
  if (at === '') return 'Choose a day.';
  return Date.parse(at) <= Date.now() ? 'Choose a day in the future.' : null;
}
