// Session: what somebody was filling in when their page went, for when the same person is back at the same page.
import { useContext, useEffect, useRef, useState } from 'react';
import { type Guard, useLeaveGuard } from './leaving.ts';
import { ViewerContext } from './viewer.ts';

/** By person, path and name of the form. */
const kept = new Map<string, unknown>();
const open = new Map<string, () => unknown>();

/** Called before pages go that nobody chose to leave. Whether anything was kept. */
export function keepDrafts(): boolean {
  for (const [key, values] of open) if (values() !== null) kept.set(key, values());
  return kept.size > 0;
}

/** After somebody signed out. */
export function forgetDrafts(): void {
  kept.clear();
}

// They are in this tab's memory, and in its storage only while the program itself is loaded again: after a renewal, or on
// the way over the page of a firm's own sign-in.
const STORED = 'portico-drafts';

const withSets = (_name: string, value: unknown) => (value instanceof Set ? { set: [...value] } : value);
const backToSets = (_name: string, value: { set?: unknown } | null) =>
  Array.isArray(value?.set) ? new Set(value.set) : value;

window.addEventListener('pagehide', () => {
  if (kept.size > 0) sessionStorage.setItem(STORED, JSON.stringify([...kept], withSets));
});

for (const [key, values] of JSON.parse(sessionStorage.getItem(STORED) ?? '[]', backToSets)) kept.set(key, values);
sessionStorage.removeItem(STORED);

/** Null where nobody is signed in. */
function useKey(name: string): string | null {
  const viewer = useContext(ViewerContext);
  return viewer === null ? null : `${viewer.userId} ${location.pathname} ${name}`;
}

/** What was kept of this person's form; null where nothing was. It is forgotten once a form has it. */
export function useKept<Values>(name: string): Values | null {
  const key = useKey(name);
  const [values] = useState(() => (kept.get(key ?? '') as Values | undefined) ?? null);
  return values;
}

const UNSENT: Guard = {
  title: 'Leave without sending?',
  words: 'What you have filled in is lost when you leave this page.',
  leave: 'Leave',
};

interface DraftGuard {
  /** Tells apart the forms of a page. */
  name: string;
  values: unknown;
  /** Whether anything is filled in. */
  changed: boolean;
  /** Passwords and codes are never kept. */
  secret?: boolean;
}

/**
 * Guards what a form holds while it is `changed`: leaving asks first, and signing in again brings it back. The function
 * that is given ends the guard, before a step that leaves.
 */
export function useDraftGuard({ name, values, changed, secret = false }: DraftGuard): () => void {
  const key = useKey(name);
  const now = useRef<unknown>(null);
  now.current = changed && !secret ? values : null;
  useEffect(() => {
    if (key === null) return;
    kept.delete(key);
    open.set(key, () => now.current);
    return () => {
      open.delete(key);
    };
  }, [key]);
  return useLeaveGuard(changed ? UNSENT : null);
}
