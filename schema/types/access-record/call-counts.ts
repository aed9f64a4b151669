// Schema: numbers of calls by result, for a day, endpoint, key or error.
import { outcomeOf } from '#core/outcome.ts';
import type { Tally } from '#repositories/access-record/activity.ts';

/** Fields shared by types with counts. Whole numbers as Float, since a firm's calls can exceed an Int. */
export const COUNTS = {
  requests: ['Float', 'All of them.'],
  ok: ['Float', '2xx and 304.'],
  refused: ['Float', '4xx but 429.'],
  limited: ['Float', '429.'],
  failed: ['Float', '5xx.'],
} as const;

export type CallCounts = Record<keyof typeof COUNTS, number>;

export function countsOf(tallies: readonly Pick<Tally, 'calls' | 'status'>[]): CallCounts {
  const counts = { requests: 0, ok: 0, refused: 0, limited: 0, failed: 0 };
  for (const { calls, status } of tallies) {
    counts.requests += calls;
    counts[outcomeOf(status)] += calls;
  }
  return counts;
}

/** The tallies grouped by their value of `name`, most calls first. */
export function grouped<Name extends 'keyId' | 'endpoint' | 'errorCode' | 'day'>(
  tallies: readonly Tally[],
  name: Name,
): { value: string; tallies: Tally[]; counts: CallCounts }[] {
  const having = tallies.filter((tally) => tally[name] !== null);
  return Map.groupBy(having, (tally) => tally[name] as string)
    .entries()
    .map(([value, of]) => ({ value, tallies: of, counts: countsOf(of) }))
    .toArray()
    .sort((one, other) => other.counts.requests - one.counts.requests);
}
