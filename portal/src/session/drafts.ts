// Session: what somebody was filling in when their session ended, for when the same person is back at the same page.
import { useEffect, useRef, useState } from 'react';
import { type Guard, useLeaveGuard } from './leaving.ts';
import { useViewer } from './viewer.ts';

/** By person and path, in this tab's memory. */
const kept = new Map<string, unknown>();
const open = new Map<string, () => unknown>();

/** Called when the session has ended, before the pages go. */
export function keepDrafts(): void {
  for (const [key, values] of open) if (values() !== null) kept.set(key, values());
}

const keyOf = (userId: string): string => `${userId} ${location.pathname}`;

/** What was kept for this person and page; null where nothing was. It is forgotten once a form has it. */
export function useKept<Values>(): Values | null {
  const { userId } = useViewer();
  const [values] = useState(() => (kept.get(keyOf(userId)) as Values | undefined) ?? null);
  return values;
}

const UNSENT: Guard = {
  title: 'Leave without sending?',
  words: 'What you have filled in is lost when you leave this page.',
  leave: 'Leave',
};

/**
 * Guards what a form holds while it is `changed`: leaving asks first, and signing in again brings it back. The function
 * that is given ends the guard, before a step that leaves.
 */
export function useDraftGuard(values: unknown, changed: boolean): () => void {
  const { userId } = useViewer();
  const now = useRef<unknown>(null);
  now.current = changed ? values : null;
  useEffect(() => {
    const key = keyOf(userId);
    kept.delete(key);
    open.set(key, () => now.current);
    return () => {
      open.delete(key);
    };
  }, [userId]);
  return useLeaveGuard(changed ? UNSENT : null);
}
