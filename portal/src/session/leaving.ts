// Session: guards for what would be lost when a page is left, and the question before.
import { useCallback, useEffect, useRef } from 'react';

/** Something that is lost with the page. */
export interface Guard {
  /** The question: `Leave without the secret?` */
  title: string;
  /** What is lost. */
  text: string;
  /** The action: `Leave without it`. */
  leave: string;
  /** Whether the page stays even after the session has ended. */
  irreplaceable?: boolean;
}

type Ask = (guard: Guard) => Promise<boolean>;

const guards = new Set<Guard>();
let ask: Ask = async () => true;

/** Sets the function that shows the question. */
export function answerWith(answer: Ask): void {
  ask = answer;
}

export const isIrreplaceable = (): boolean => [...guards].some((guard) => guard.irreplaceable === true);

/** Removes all guards, for a reload that restores the input. */
export const dropGuards = (): void => guards.clear();

/** Asks if something would be lost. To be called before leaving the page other than by a link. */
export async function mayLeave(): Promise<boolean> {
  for (const guard of [...guards]) {
    if (!(await ask(guard))) return false;
    guards.delete(guard);
  }
  return true;
}

/**
 * Guards the page while `guard` is not null. The returned function removes it at once, before an action that leaves the
 * page.
 */
export function useLeaveGuard(guard: Guard | null): () => void {
  const current = useRef<Guard | null>(null);
  const release = useCallback(() => {
    if (current.current !== null) guards.delete(current.current);
    current.current = null;
  }, []);
  useEffect(() => {
    if (guard === null) return;
    current.current = guard;
    guards.add(guard);
    pushGuardEntry();
    return release;
  }, [guard, release]);
  return release;
}

// Back cannot be refused. So a guarded page gets a second history entry with the same address: Back leads from it to
// the first one, which leaves the page unchanged and gives time to ask.

const GUARD_STATE = 'portico-held';
const isGuardEntry = (): boolean => history.state === GUARD_STATE;
let wasGuardEntry = isGuardEntry();

function pushGuardEntry(): void {
  if (!isGuardEntry()) history.pushState(GUARD_STATE, '', location.href);
}

async function onPopState(): Promise<void> {
  const backFromGuardEntry = wasGuardEntry && !isGuardEntry();
  wasGuardEntry = isGuardEntry();
  if (!backFromGuardEntry) return;
  if (await mayLeave()) history.back();
  else history.forward();
}

window.addEventListener('popstate', () => void onPopState());
// Events of the router.
for (const type of ['pushState', 'replaceState'])
  window.addEventListener(type, () => {
    wasGuardEntry = isGuardEntry();
  });
window.addEventListener('beforeunload', (event) => {
  if (guards.size > 0) event.preventDefault();
});

type Navigate = (to: string, options?: { replace?: boolean; state?: unknown }) => void;

/** For the router: asks before navigating to another page, and replaces the second entry. */
export async function navigateGuarded(
  navigate: Navigate,
  to: string,
  options?: Parameters<Navigate>[1],
): Promise<void> {
  const samePath = new URL(to, location.href).pathname === location.pathname;
  if (samePath) return navigate(to, { ...options, state: history.state });
  if (guards.size > 0 && !(await mayLeave())) return;
  navigate(to, isGuardEntry() ? { ...options, replace: true } : options);
}
