// Portal: links that set a password: an invitation sets the first, a reset replaces one. Each works once.
import { randomBytes } from 'node:crypto';
import { DAY_MS } from '#core/timestamps.ts';
import type { People, PortalAccount } from '#gateway/consent/people.ts';
import type { SignIn } from './sign-in.ts';

/** Where the sign-in library looks a link's token up. */
const LOOKUP = 'reset-password:';
const INVITATION_MS = 7 * DAY_MS;
const RESET_MS = 3_600_000;

export interface Link {
  url: string;
  /** RFC 3339. */
  expiresAt: string;
}

/** Behind `#`, where neither servers nor their logs see it. */
export const linkUrl = (origin: string, token: string): string => `${origin}/portal/invitation#${token}`;

/** A new link for the account; earlier ones end. It lives for 7 days, or one hour where there is a password already. */
export async function makeLink(
  signIn: SignIn,
  people: Pick<People, 'withdrawLinks'>,
  { id, hasPassword }: PortalAccount,
  origin: string,
): Promise<Link> {
  await people.withdrawLinks(id);
  const token = randomBytes(24).toString('base64url');
  const expiresAt = new Date(Date.now() + (hasPassword ? RESET_MS : INVITATION_MS));
  const { internalAdapter } = await (await signIn.betterAuth()).$context;
  await internalAdapter.createVerificationValue({ value: id, identifier: LOOKUP + token, expiresAt });
  return { url: linkUrl(origin, token), expiresAt: expiresAt.toISOString() };
}

/** The account that the link is for; null where it was used, replaced, or has expired. */
export async function openLink(
  signIn: SignIn,
  people: Pick<People, 'account'>,
  token: string,
): Promise<PortalAccount | null> {
  const { internalAdapter } = await (await signIn.betterAuth()).$context;
  const held = await internalAdapter.findVerificationValue(LOOKUP + token);
  return held === null || held === undefined || held.expiresAt < new Date() ? null : people.account(held.value);
}
