// Session: polls a portal that cannot be reached, so that pages recover by themselves.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useReachable } from '../graphql/reachable.ts';

const EVERY_MS = 5_000;

/** Calls `read`, which sends a request, while the server is unreachable; afterwards reads again what had failed. */
export function useLookAgain(read: () => unknown): void {
  const client = useQueryClient();
  const reachable = useReachable();
  const was = useRef(reachable);
  useEffect(() => {
    if (reachable && !was.current)
      void client.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
    was.current = reachable;
  }, [client, reachable]);
  useEffect(() => {
    const look = () => void read();
    window.addEventListener('offline', look);
    window.addEventListener('online', look);
    return () => {
      window.removeEventListener('offline', look);
      window.removeEventListener('online', look);
    };
  }, [read]);
  useEffect(() => {
    if (reachable) return;
    const timer = setInterval(() => void read(), EVERY_MS);
    return () => clearInterval(timer);
  }, [reachable, read]);
}
