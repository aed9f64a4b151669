// Core: outcomes of calls, as shown in records and statistics.
import { ERRORS, isErrorCode } from './errors.ts';

export const OUTCOMES = ['ok', 'refused', 'limited', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Outcome of an HTTP status: 429 is limited, any other 4xx refused, 5xx failed. */
export function outcomeOf(status: number): Outcome {
  if (status < 400) return 'ok';
  if (status === 429) return 'limited';
  return status < 500 ? 'refused' : 'failed';
}

/** What an error code means, in a sentence; null for an unknown code. */
export function explain(code: string): string | null {
  return isErrorCode(code) ? ERRORS[code].message : null;
}
