// Gateway: the limits against which a request with a key counts.
import { TIER_LIMITS } from '#core/tiers.ts';
import type { LimitPolicy } from '#limits/policies.ts';
import { subjectBeside } from '#limits/subjects.ts';
import type { ApiKey } from '#repositories/keys/key-queries.ts';

export type LimitedCaller = Pick<ApiKey, 'lineageId' | 'tier' | 'firmId' | 'firmLimit' | 'shadow'>;

/**
 * Policies by name. A Cluster stores the windows of a firm and its keys in one hash slot. This also applies to a firm
 * without a limit, so that its keys keep their windows when the firm gets or loses one. A firm's limit is never in
 * shadow mode: it was agreed with the firm, and is enforced regardless of the modes of its keys.
 */
export function requestLimits(caller: LimitedCaller): { key: LimitPolicy; firm?: LimitPolicy } {
  const { lineageId, tier, firmId, firmLimit, shadow } = caller;
  const firm = firmSubject(firmId);
  const subject = subjectBeside(firm, `key:${lineageId}`);
  const key = { subject, limit: TIER_LIMITS[tier], shadowed: shadow !== null };
  return firmLimit === null ? { key } : { key, firm: { subject: firm, limit: firmLimit } };
}

export const firmSubject = (firmId: string): string => `firm:${firmId}`;
