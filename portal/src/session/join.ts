// Session: becoming a firm's member by an invitation.
import { authCall } from './auth-call.ts';

export interface FirmInvitation {
  firm: string;
  inviter: string;
  email: string;
  name: string;
  role: string;
  /** How they will sign in: with a password that they choose now, with the one that they have, or at their firm's provider. */
  way: 'new_password' | 'password' | 'provider';
  /** Its name. */
  provider: string | null;
}

/** What an invitation is, before it is accepted. */
export const readInvitation = (token: string): Promise<FirmInvitation> => authCall('/invitation', { token });

export async function joinFirm(joining: { token: string; name: string; password?: string }): Promise<void> {
  await authCall('/join', joining);
}
