// Session: switches to another identity of the account.
import { ROLE_WORDS } from '../shell/navigation.ts';
import type { Identity } from './account.ts';
import { authCall } from './auth-call.ts';
import { dropGuards, mayLeave } from './leaving.ts';
import { notifyOnRefusal } from './notify-on-refusal.ts';
import { notifyTabs } from './tabs.ts';
import type { Role, ViewerBody } from './viewer.ts';

/** Switches to the user, and starts at their start page without any cached data. */
export async function goOnAs(userId: string): Promise<void> {
  if (!(await mayLeave())) return;
  await notifyOnRefusal(async () => {
    await authCall('/act-as', { user_id: userId });
    notifyTabs();
    dropGuards();
    location.assign('/portal/');
  });
}

/** `Hartwell & Lyle`, `Client · sandbox`, `Operations`. */
export const identityText = ({ firm, role, environment }: Identity | ViewerBody): string =>
  firm?.name ?? `${ROLE_WORDS[role as Role]}${environment === 'sandbox' ? ' · sandbox' : ''}`;
