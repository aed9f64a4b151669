// Session: polls a portal that cannot be reached, so that pages recover by themselves.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useReachable } from '../graphql/reachable.ts';

const INTERVAL_MS = 5_000;

/** Calls `read`, which sends a request, while the server is unreachable; afterwards reads again what had failed. */
export function usePollWhileUnreachable(read: () => unknown): void {
  const client = useQueryClient();
  const reachable = useReachable();
  const was = useRef(reachable);
  useEffect(() => {
    if (reachable && !was.current)
      void client.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
    was.current = reachable;
  }, [client, reachable]);
  useEffect(() => {
    const check = () => void read();
    window.addEventListener('offline', check);
    window.addEventListener('online', check);
    return () => {
      window.removeEventListener('offline', check);
      window.removeEventListener('online', check);
    };
  }, [read]);
  useEffect(() => {
    if (reachable) return;
    const timer = setInterval(() => void read(), INTERVAL_MS);
    return () => clearInterval(timer);
  }, [reachable, read]);
}
