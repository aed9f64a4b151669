// Session: what a password must be; the server judges again.
import { MAX_PASSWORD, MIN_PASSWORD } from '#core/password-length.ts';

/** What is wrong with it, in a sentence; null where nothing is. */
export function passwordFault(password: string): string | null {
  if (password.length < MIN_PASSWORD) return `Use at least ${MIN_PASSWORD} characters.`;
  if (password.length > MAX_PASSWORD) return `Use at most ${MAX_PASSWORD} characters.`;
  return null;
}
