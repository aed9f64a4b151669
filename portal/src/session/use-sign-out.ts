// Session: a button's action to sign out of this session, or of all.
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { dropGuards, mayLeave } from './leaving.ts';

/** Ends sessions by `end` within `run`, and goes to the sign-in page. Asks before if something would be lost. */
export function useSignOut(
  run: (work: () => Promise<void>) => Promise<void>,
  end: () => Promise<void>,
): () => Promise<void> {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  return async () => {
    if (!(await mayLeave())) return;
    await run(async () => {
      await end();
      dropGuards();
      navigate('/sign-in');
      client.clear();
    });
  };
}
