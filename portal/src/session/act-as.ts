// Session: becoming somebody else of one's own.
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { ROLE_WORDS } from '../shell/navigation.ts';
import { actAs, type Identity } from './account.ts';
import { mayLeave } from './leaving.ts';
import { orSay } from './or-say.ts';

/** Acts as the user from now on, with nothing left of what was read before, and starts at their start page. */
export function useActAs(): (userId: string) => Promise<void> {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  return async (userId) => {
    if (!(await mayLeave())) return;
    await orSay(async () => {
      await actAs(userId);
      navigate('/');
      // Not clear(): what is on the page is read again, as the other.
      await client.resetQueries();
    });
  };
}

/** `Hartwell & Lyle`, `Client · sandbox`, `Operations`. */
export const identityText = ({ firm, role, environment }: Identity): string =>
  firm?.name ?? `${ROLE_WORDS[role]}${environment === 'sandbox' ? ' · sandbox' : ''}`;
