// Limits: one request held to several of them, some of which may be in shadow mode and only tell what they would have done.
import type { Allowance, Limited, Limiter } from './limiter.ts';

export interface LimitPolicy extends Limited {
  /** Requests over it are counted and reported, and let pass. */
  shadowed?: boolean;
}

/** As the error codes: the limit is reached, or nobody can tell and the operator chose to deny. */
export type LimitRefusal = 'rate_limit_exceeded' | 'service_unavailable';

export interface LimitDecision {
  /** By the names of the policies, in their order. A shadowed one admits, whatever remains. */
  allowances: Record<string, Allowance>;
  /** Null: the request may go on. */
  refusal: LimitRefusal | null;
  /** What a request that may go on would have been refused with, were no policy shadowed; null: nothing. */
  shadowRefusal: LimitRefusal | null;
}

/**
 * The policies in force decide first, and all or none of them count the request. Those in shadow mode see only what these let
 * pass, so that what they tell is what they would have refused. What is over them is not in their windows, as if they had refused it.
 */
export async function decide(
  limiter: Limiter,
  policies: Readonly<Record<string, LimitPolicy>>,
): Promise<LimitDecision> {
  const asked = Object.values(policies);
  const [enforced, shadowed] = [asked.filter((one) => !one.shadowed), asked.filter((one) => one.shadowed)];
  const held = enforced.length === 0 ? [] : await limiter.takeAll(enforced);
  const refusal = refusalOf(held);
  const seen =
    shadowed.length === 0
      ? []
      : refusal === null
        ? await limiter.takeAll(shadowed)
        : await Promise.all(shadowed.map(({ subject, limit }) => limiter.peek(subject, limit)));
  const told = new Map<LimitPolicy, Allowance | undefined>([
    ...enforced.map((one, i) => [one, held[i]] as const),
    ...shadowed.map((one, i) => [one, seen[i] && { ...seen[i], admitted: true, unavailable: false }] as const),
  ]);
  const allowances = Object.entries(policies).map(([name, one]) => [name, told.get(one)]);
  return {
    allowances: Object.fromEntries(allowances),
    refusal,
    shadowRefusal: refusal === null ? refusalOf(seen) : null,
  };
}

function refusalOf(allowances: readonly Allowance[]): LimitRefusal | null {
  if (allowances.some(({ unavailable }) => unavailable)) return 'service_unavailable';
  return allowances.every(({ admitted }) => admitted) ? null : 'rate_limit_exceeded';
}
