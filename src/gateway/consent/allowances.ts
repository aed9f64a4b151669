// Gateway: how often a firm may request access or send invitations, whether or not the addressee exists.
import { addressDigest } from '#core/address-digest.ts';
import type { Sql } from '#database/database.ts';
import { takeAllowance } from '#repositories/accounts/allowances.ts';

/** In any 24 hours: per firm, and per firm and addressee. */
const OF_FIRM = { max: 100, hours: 24 } as const;
const TO_ADDRESSEE = { max: 5, hours: 24 } as const;

/** Counts a request. Throws Refusal `rate_limit_exceeded`. */
export async function limitRequests(sql: Sql, firmId: string, client: string): Promise<void> {
  const addressee = addressDigest(client);
  const often = `A firm asks the same client for access at most ${TO_ADDRESSEE.max} times in 24 hours.`;
  await takeAllowance(sql, `request:${firmId}:${addressee}`, TO_ADDRESSEE, often);
  const many = `A firm asks for access at most ${OF_FIRM.max} times in 24 hours.`;
  await takeAllowance(sql, `request:${firmId}`, OF_FIRM, many);
}

/** Mails per firm to addresses of its choice. */
const INVITATIONS = { max: 50, hours: 24 } as const;

/** Counts an invitation. Throws Refusal `rate_limit_exceeded`. */
export function limitInvitations(sql: Sql, firmId: string): Promise<void> {
  const many = `A firm sends at most ${INVITATIONS.max} invitations in 24 hours.`;
  return takeAllowance(sql, `invitation:${firmId}`, INVITATIONS, many);
}
