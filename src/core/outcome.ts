// Core: how a call ended, in the words of those who look at it afterwards.
import { ERRORS, isErrorCode } from './errors.ts';

export const OUTCOMES = ['ok', 'refused', 'limited', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Of an HTTP status: 429 is limited, any other 4xx refused, 5xx failed. */
export function outcomeOf(status: number): Outcome {
  if (status < 400) return 'ok';
  if (status === 429) return 'limited';
  return status < 500 ? 'refused' : 'failed';
}

/** What an error code means, in a sentence; null for a code that there is not. */
export function explain(code: string): string | null {
  return isErrorCode(code) ? ERRORS[code].message : null;
}
