// GraphQL client: whether the portal's server responds.
import { useSyncExternalStore } from 'react';

let reachable = true;
/** Number of requests to which the server did not respond. */
let losses = 0;
const listeners = new Set<() => void>();

/**
 * For a request that begins now. Returns what to call when the server responds to it. A response has no effect if
 * another request was lost in the meantime, since the server may have sent it before it went away.
 */
export function expectResponse(): () => void {
  const before = losses;
  return () => {
    if (losses === before) note(true);
  };
}

export function noteUnreachable(): void {
  losses += 1;
  note(false);
}

function note(now: boolean): void {
  if (now === reachable) return;
  reachable = now;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useReachable = (): boolean => useSyncExternalStore(subscribe, () => reachable);
