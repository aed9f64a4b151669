// Session: signing in and out.
import { noteActingAs } from '../graphql/acting-as.ts';
import { authCall, authChange } from './auth-call.ts';
import { forgetDrafts } from './drafts.ts';
import { storeReturnPath } from './return-path.ts';
import { notifyTabs } from './tabs.ts';

interface SignedIn {
  twoFactorRedirect?: boolean;
}

/** `second-factor` if the password was correct and a code is required. */
export async function signIn(email: string, password: string): Promise<'signed-in' | 'second-factor'> {
  const { twoFactorRedirect } = await authCall<SignedIn>('/sign-in/email', { email, password });
  return twoFactorRedirect === true ? 'second-factor' : 'signed-in';
}

/** A code of the authenticator app, or a recovery code. Either works once, and ends the sign-in that it is for. */
export async function giveCode(kind: 'totp' | 'recovery', code: string): Promise<void> {
  const path = kind === 'totp' ? '/two-factor/verify-totp' : '/two-factor/verify-backup-code';
  const advice = 'a code that is refused now was used, so reload the page and sign in with another one';
  await authChange(path, { code }, advice);
}

/** Goes to the provider's page, which returns to the portal, and from there to `path`. */
export async function signInElsewhere(provider: string, path: string): Promise<void> {
  storeReturnPath(path);
  const { url } = await authCall<{ url: string }>('/sign-in/social', { provider });
  location.assign(url);
}

export async function signOut(): Promise<void> {
  await authCall('/sign-out', {});
  noteSignedOut();
}

/** Forgets all drafts, and makes other tabs check who is signed in. */
export function noteSignedOut(): void {
  forgetDrafts();
  noteActingAs(null);
  notifyTabs();
}

/** The response is the same whether or not the address is known. */
export async function requestReset(email: string): Promise<void> {
  await authCall('/request-password-reset', { email });
}

export interface LinkPurpose {
  purpose: 'invitation' | 'reset';
  email: string;
  name: string;
}

/** Reads a link without using it. */
export function readLink(token: string): Promise<LinkPurpose> {
  return authCall('/link', { token });
}

export async function setPassword(token: string, newPassword: string): Promise<void> {
  await authChange(
    '/reset-password',
    { token, newPassword },
    'try signing in with the new password before you try again',
  );
}
