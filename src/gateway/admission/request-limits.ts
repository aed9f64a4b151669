// Gateway: which limits a request with a key counts against.
import { type Shadow, TIER_LIMITS, type Tier } from '#core/tiers.ts';
import type { LimitPolicy } from '#limits/policies.ts';
import { subjectBeside } from '#limits/subjects.ts';

export interface LimitedCaller {
  /** Of the key and its rotations. */
  lineageId: string;
  tier: Tier;
  firmId: string;
  /** Requests per 60 s of all keys of the firm together; null: no such limit. */
  firmLimit: number | null;
  /** Of the key's own limit; null: it refuses. */
  shadow: Shadow | null;
}

/**
 * By the names of the policies. A Cluster keeps the windows of a firm and of its keys in one place. So it is of a firm
 * without a limit, too: its keys go on with the windows they have when it gets one, or loses it. A firm's limit is never in
 * shadow mode: it was agreed with the firm, and holds whatever its keys are let do.
 */
export function requestLimits(caller: LimitedCaller): { key: LimitPolicy; firm?: LimitPolicy } {
  const { lineageId, tier, firmId, firmLimit, shadow } = caller;
  const firm = firmSubject(firmId);
  const subject = subjectBeside(firm, `key:${lineageId}`);
  const key = { subject, limit: TIER_LIMITS[tier], shadowed: shadow !== null };
  return firmLimit === null ? { key } : { key, firm: { subject: firm, limit: firmLimit } };
}

export const firmSubject = (firmId: string): string => `firm:${firmId}`;
