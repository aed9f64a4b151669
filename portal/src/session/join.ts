// Session: joins a firm by an invitation.
import { authCall, authChange } from './auth-call.ts';

export interface FirmInvitation {
  firm: string;
  inviter: string;
  email: string;
  name: string;
  role: string;
  /** How the person will sign in: with a new password, an existing one, or at the firm's provider. */
  way: 'new_password' | 'password' | 'provider';
  /** Name of the provider. */
  provider: string | null;
}

/** Reads an invitation before it is accepted. */
export const readInvitation = (token: string): Promise<FirmInvitation> => authCall('/invitation', { token });

export async function joinFirm(joining: { token: string; name: string; password?: string }): Promise<void> {
  await authChange('/join', joining, 'try signing in before you try again');
}
