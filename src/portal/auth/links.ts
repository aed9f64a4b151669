// Portal: links to set a password: an invitation sets the first, a reset replaces one. Each works once.
import { randomBytes } from 'node:crypto';
import { INVITATION_DAYS } from '#core/periods.ts';
import { DAY_MS } from '#core/timestamps.ts';
import type { People, PortalAccount } from '#gateway/consent/people.ts';
import type { SignIn } from './sign-in.ts';
import { RESET_SECONDS } from './sign-in-parts.ts';

/** Prefix of a link's token in the sign-in library's verifications. */
const LOOKUP = 'reset-password:';

export interface Link {
  url: string;
  /** RFC 3339. */
  expiresAt: string;
}

/** The token is in the fragment, which is sent to no server and appears in no log. */
export const linkUrl = (origin: string, token: string): string => `${origin}/portal/invitation#${token}`;

/**
 * A new link for the account; voids earlier ones. Valid for INVITATION_DAYS, or for RESET_SECONDS if the account has a
 * password.
 */
export async function makeLink(
  signIn: SignIn,
  people: Pick<People, 'withdrawLinks'>,
  { id, hasPassword }: PortalAccount,
  origin: string,
): Promise<Link> {
  await people.withdrawLinks(id);
  const token = randomBytes(24).toString('base64url');
  const expiresAt = new Date(Date.now() + (hasPassword ? RESET_SECONDS * 1000 : INVITATION_DAYS * DAY_MS));
  const { internalAdapter } = await (await signIn.betterAuth()).$context;
  await internalAdapter.createVerificationValue({ value: id, identifier: LOOKUP + token, expiresAt });
  return { url: linkUrl(origin, token), expiresAt: expiresAt.toISOString() };
}

/** The account of the link; null if the link was used, replaced, or has expired. */
export async function openLink(
  signIn: SignIn,
  people: Pick<People, 'account'>,
  token: string,
): Promise<PortalAccount | null> {
  const { internalAdapter } = await (await signIn.betterAuth()).$context;
  const verification = await internalAdapter.findVerificationValue(LOOKUP + token);
  return verification === null || verification === undefined || verification.expiresAt < new Date()
    ? null
    : people.account(verification.value);
}
