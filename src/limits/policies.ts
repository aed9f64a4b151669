// Limits: applies several limits to one request. Those in shadow mode only report what they would have refused.
import type { Allowance, Limited, Limiter } from './limiter.ts';

export interface LimitPolicy extends Limited {
  /** Requests over the limit are counted and reported, but admitted. */
  shadowed?: boolean;
}

/** Error codes: the limit is reached, or no decision was possible and the operator chose to deny. */
export type LimitRefusal = 'rate_limit_exceeded' | 'service_unavailable';

export interface LimitDecision {
  /** By policy name, in the order of the policies. A shadowed policy always admits. */
  allowances: Record<string, Allowance>;
  /** Null: the request is admitted. */
  refusal: LimitRefusal | null;
  /** The refusal that an admitted request would have met without shadow mode; null: none. */
  shadowRefusal: LimitRefusal | null;
}

/**
 * The enforced policies decide first, and either all or none of them count the request. Shadowed policies only see
 * requests that these admit, so that they report what they would have refused. Requests over a shadowed limit are not
 * counted in its window, as if they had been refused.
 */
export async function decide(
  limiter: Limiter,
  policies: Readonly<Record<string, LimitPolicy>>,
): Promise<LimitDecision> {
  const all = Object.values(policies);
  const [enforced, shadowed] = [all.filter((one) => !one.shadowed), all.filter((one) => one.shadowed)];
  const ofEnforced = enforced.length === 0 ? [] : await limiter.takeAll(enforced);
  const refusal = refusalOf(ofEnforced);
  const ofShadowed =
    shadowed.length === 0
      ? []
      : refusal === null
        ? await limiter.takeAll(shadowed)
        : await Promise.all(shadowed.map(({ subject, limit }) => limiter.peek(subject, limit)));
  const byPolicy = new Map<LimitPolicy, Allowance | undefined>([
    ...enforced.map((one, i) => [one, ofEnforced[i]] as const),
    ...shadowed.map(
      (one, i) => [one, ofShadowed[i] && { ...ofShadowed[i], admitted: true, unavailable: false }] as const,
    ),
  ]);
  const allowances = Object.entries(policies).map(([name, one]) => [name, byPolicy.get(one)]);
  return {
    allowances: Object.fromEntries(allowances),
    refusal,
    shadowRefusal: refusal === null ? refusalOf(ofShadowed) : null,
  };
}

function refusalOf(allowances: readonly Allowance[]): LimitRefusal | null {
  if (allowances.some(({ unavailable }) => unavailable)) return 'service_unavailable';
  return allowances.every(({ admitted }) => admitted) ? null : 'rate_limit_exceeded';
}
