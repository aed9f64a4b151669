// Gateway: which limits a request with a key counts against.
import { TIER_LIMITS, type Tier } from '#core/tiers.ts';
import type { Limited } from '#limits/limiter.ts';
import { subjectBeside } from '#limits/redis-limiter.ts';

export interface LimitedCaller {
  /** Of the key and its rotations. */
  lineageId: string;
  tier: Tier;
  firmId: string;
  /** Requests per 60 s of all keys of the firm together; null: no such limit. */
  firmLimit: number | null;
}

/** By the names of the policies. A Cluster keeps the windows of a firm with a limit, and of its keys, in one place. */
export function requestLimits({ lineageId, tier, firmId, firmLimit }: LimitedCaller): { key: Limited; firm?: Limited } {
  const [subject, limit] = [`key:${lineageId}`, TIER_LIMITS[tier]];
  if (firmLimit === null) return { key: { subject, limit } };
  const firm = firmSubject(firmId);
  return { key: { subject: subjectBeside(firm, subject), limit }, firm: { subject: firm, limit: firmLimit } };
}

export const firmSubject = (firmId: string): string => `firm:${firmId}`;
