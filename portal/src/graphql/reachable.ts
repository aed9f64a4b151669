// GraphQL client: whether the portal's server responded to the last request.
import { useSyncExternalStore } from 'react';

let reachable = true;
const listeners = new Set<() => void>();

export function noteReachable(now: boolean): void {
  if (now === reachable) return;
  reachable = now;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useReachable = (): boolean => useSyncExternalStore(subscribe, () => reachable);
