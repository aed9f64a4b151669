// Session: inputs of forms whose page was left involuntarily, restored when the same person returns to the same page.
import { useContext, useEffect, useRef, useState } from 'react';
import { type Guard, useLeaveGuard } from './leaving.ts';
import { ViewerContext } from './viewer.ts';

/** By person, path and name of the form. */
const stored = new Map<string, unknown>();
const open = new Map<string, () => unknown>();

/** To be called before pages are left that the user did not choose to leave. Returns whether anything was kept. */
export function storeDrafts(): boolean {
  for (const [key, values] of open) if (values() !== null) stored.set(key, values());
  return stored.size > 0;
}

/** To be called after signing out. */
export function forgetDrafts(): void {
  stored.clear();
}

// Drafts are in this tab's memory. They are in its storage only while the program is reloaded, after a new release or
// on the way through a firm's own sign-in page.
const STORED = 'portico-drafts';

const withSets = (_name: string, value: unknown) => (value instanceof Set ? { set: [...value] } : value);
const backToSets = (_name: string, value: { set?: unknown } | null) =>
  Array.isArray(value?.set) ? new Set(value.set) : value;

window.addEventListener('pagehide', () => {
  if (stored.size > 0) sessionStorage.setItem(STORED, JSON.stringify([...stored], withSets));
});

for (const [key, values] of JSON.parse(sessionStorage.getItem(STORED) ?? '[]', backToSets)) stored.set(key, values);
sessionStorage.removeItem(STORED);

/** Null if nobody is signed in. */
function useKey(name: string): string | null {
  const viewer = useContext(ViewerContext);
  return viewer === null ? null : `${viewer.userId} ${location.pathname} ${name}`;
}

/** The kept input of this person's form; null if none. Forgotten once a form has taken it. */
export function useStoredDraft<Values>(name: string): Values | null {
  const key = useKey(name);
  const [values] = useState(() => (stored.get(key ?? '') as Values | undefined) ?? null);
  return values;
}

const UNSENT: Guard = {
  title: 'Leave without sending?',
  text: 'What you have filled in is lost when you leave this page.',
  leave: 'Leave',
};

interface DraftGuard {
  /** Distinguishes the forms of a page. */
  name: string;
  values: unknown;
  /** Whether anything is filled in. */
  changed: boolean;
  /** Whether it contains passwords or codes, which are never kept. */
  secret?: boolean;
}

/**
 * Guards a form's input while it is `changed`: asks before leaving, and restores it after signing in again. The
 * returned function ends the guard, before an action that leaves the page.
 */
export function useDraftGuard({ name, values, changed, secret = false }: DraftGuard): () => void {
  const key = useKey(name);
  const now = useRef<unknown>(null);
  now.current = changed && !secret ? values : null;
  useEffect(() => {
    if (key === null) return;
    stored.delete(key);
    open.set(key, () => now.current);
    return () => {
      open.delete(key);
    };
  }, [key]);
  return useLeaveGuard(changed ? UNSENT : null);
}
