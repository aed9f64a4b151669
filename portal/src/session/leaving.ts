// Session: what would be lost by leaving a page, and the question before it is.
import { useCallback, useEffect, useRef } from 'react';

/** Something on a page that is gone with it. */
export interface Guard {
  /** The question: `Leave without the secret?` */
  title: string;
  /** What is lost. */
  words: string;
  /** The deed: `Leave without it`. */
  leave: string;
  /** Whether the page stays even when the session has ended. */
  irreplaceable?: boolean;
}

type Ask = (guard: Guard) => Promise<boolean>;

const guards = new Set<Guard>();
let ask: Ask = async () => true;

/** Whoever shows the question. */
export function answerWith(answer: Ask): void {
  ask = answer;
}

export const isIrreplaceable = (): boolean => [...guards].some((guard) => guard.irreplaceable === true);

/** Nothing asks any more: for a reload that brings back what is filled in. */
export const dropGuards = (): void => guards.clear();

/** Asks where something would be lost. To be called before anything that leaves the page other than by a link. */
export async function mayLeave(): Promise<boolean> {
  for (const guard of [...guards]) {
    if (!(await ask(guard))) return false;
    guards.delete(guard);
  }
  return true;
}

/** Guards the page while `guard` is not null. The function that is given ends that at once, before a step that leaves. */
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
    holdEntry();
    return release;
  }, [guard, release]);
  return release;
}

// Back cannot be refused. So a guarded page gets a second entry in the history, of the same address: Back leads from it
// to the first one, which changes nothing on the page, and then there is time to ask.

const HELD = 'portico-held';
const isHeld = (): boolean => history.state === HELD;
let wasHeld = isHeld();

function holdEntry(): void {
  if (!isHeld()) history.pushState(HELD, '', location.href);
}

async function onPopState(): Promise<void> {
  const backFromHeld = wasHeld && !isHeld();
  wasHeld = isHeld();
  if (!backFromHeld) return;
  if (await mayLeave()) history.back();
  else history.forward();
}

window.addEventListener('popstate', () => void onPopState());
// The router tells of these.
for (const type of ['pushState', 'replaceState'])
  window.addEventListener(type, () => {
    wasHeld = isHeld();
  });
window.addEventListener('beforeunload', (event) => {
  if (guards.size > 0) event.preventDefault();
});

type Navigate = (to: string, options?: { replace?: boolean; state?: unknown }) => void;

/** For the router: navigation to another page asks first, and takes the place of the second entry. */
export async function navigateGuarded(
  navigate: Navigate,
  to: string,
  options?: Parameters<Navigate>[1],
): Promise<void> {
  const stays = new URL(to, location.href).pathname === location.pathname;
  if (stays) return navigate(to, { ...options, state: history.state });
  if (guards.size > 0 && !(await mayLeave())) return;
  navigate(to, isHeld() ? { ...options, replace: true } : options);
}
