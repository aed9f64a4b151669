// Session: guards for what would be lost when a page is left, and the question before.
import { createContext, useCallback, useContext, useEffect, useRef } from 'react';

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

/** The part of the page in which a guard is, if it can be closed by itself, such as a panel. */
export const GuardedPart = createContext<string | null>(null);

/** Each belongs to one component: two forms with the same question do not share one. */
const guards = new Set<Guard & { part: string | null }>();
let ask: Ask = async () => true;

/** Sets the function that shows the question. */
export function answerWith(answer: Ask): void {
  ask = answer;
}

export const isIrreplaceable = (): boolean => [...guards].some((guard) => guard.irreplaceable === true);

/** Removes all guards: before a reload that restores the input, and before leaving after `mayLeave`. */
export const dropGuards = (): void => guards.clear();

/**
 * Asks each question once if something would be lost. To be called before leaving the page other than by a link, or
 * before closing the given part of it. The guards stay until their components are removed or `dropGuards` is called,
 * because leaving may still fail.
 */
export async function mayLeave(part?: string): Promise<boolean> {
  const lost = [...guards].filter((guard) => part === undefined || guard.part === part);
  for (const guard of new Map(lost.map((guard) => [guard.title, guard])).values())
    if (!(await ask(guard))) return false;
  return true;
}

/**
 * Guards the page while `guard` is not null. The returned function removes it at once, before an action that leaves the
 * page.
 */
export function useLeaveGuard(guard: Guard | null): () => void {
  const part = useContext(GuardedPart);
  const remove = useRef<() => void>(undefined);
  const release = useCallback(() => remove.current?.(), []);
  useEffect(() => {
    if (guard === null) return;
    const own = { ...guard, part };
    guards.add(own);
    remove.current = () => guards.delete(own);
    pushGuardEntry();
    return release;
  }, [guard, part, release]);
  return release;
}

// Back cannot be refused. So a guarded page gets a second history entry with the same address: Back leads from it to
// the first one, which leaves the page unchanged and gives time to ask.

const GUARD_STATE = 'portico-held';
const isGuardEntry = (): boolean => history.state === GUARD_STATE;
let wasGuardEntry = isGuardEntry();
let wasHash = location.hash;

function noteEntry(): void {
  wasGuardEntry = isGuardEntry();
  wasHash = location.hash;
}

function pushGuardEntry(): void {
  if (!isGuardEntry()) history.pushState(GUARD_STATE, '', location.href);
}

async function onPopState(): Promise<void> {
  // A link within the page changes the hash, and Back from a second entry does not.
  const backFromGuardEntry = wasGuardEntry && !isGuardEntry() && location.hash === wasHash;
  noteEntry();
  if (!backFromGuardEntry) return;
  if (!(await mayLeave())) return history.forward();
  dropGuards();
  history.back();
}

window.addEventListener('popstate', () => void onPopState());
// Events of the router.
for (const type of ['pushState', 'replaceState']) window.addEventListener(type, noteEntry);
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
