// Session: rules for passwords, which the server checks again.
import { MAX_PASSWORD, MIN_PASSWORD } from '#core/text-lengths.ts';

/** The error as a sentence; null if valid. */
export function passwordFault(password: string): string | null {
  if (password.length < MIN_PASSWORD) return `Use at least ${MIN_PASSWORD} characters.`;
  if (password.length > MAX_PASSWORD) return `Use at most ${MAX_PASSWORD} characters.`;
  return null;
}
