// Schema: how many calls there were and how they ended, by day, endpoint, key or error.
import { outcomeOf } from '#core/outcome.ts';
import type { Tally } from '#repositories/access-record/activity.ts';
import type { FieldBuilder } from '../../builder.ts';

export interface CallCounts {
  requests: number;
  ok: number;
  refused: number;
  limited: number;
  failed: number;
}

export const COUNTS: Record<keyof CallCounts, string> = {
  requests: 'All of them.',
  ok: '2xx and 304.',
  refused: '4xx but 429.',
  limited: '429.',
  failed: '5xx.',
};

/** The numbers as fields, for each type that has them: whole ones, of which a firm can have more than an Int holds. */
export function countFields<Shape extends CallCounts>(t: FieldBuilder<Shape>) {
  const count = (name: keyof CallCounts) =>
    t.float({ authScopes: { firm: true }, description: COUNTS[name], resolve: (counts) => counts[name] });
  return {
    requests: count('requests'),
    ok: count('ok'),
    refused: count('refused'),
    limited: count('limited'),
    failed: count('failed'),
  };
}

export function countsOf(tallies: readonly Pick<Tally, 'calls' | 'status'>[]): CallCounts {
  const counts = { requests: 0, ok: 0, refused: 0, limited: 0, failed: 0 };
  for (const { calls, status } of tallies) {
    counts.requests += calls;
    counts[outcomeOf(status)] += calls;
  }
  return counts;
}

/** The tallies that have a value of `name`, by it, most calls first. */
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
