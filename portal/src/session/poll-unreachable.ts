// Session: polls a portal that cannot be reached, so that pages recover by themselves.
import { useDidUpdate, useWindowEvent } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useReachable } from '../graphql/reachable.ts';

const INTERVAL_MS = 5_000;

/** Calls `read`, which sends a request, while the server is unreachable; afterwards reads again what had failed. */
export function usePollWhileUnreachable(read: () => unknown): void {
  const client = useQueryClient();
  const reachable = useReachable();
  useDidUpdate(() => {
    if (reachable) void client.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
  }, [reachable]);
  useWindowEvent('offline', () => void read());
  useWindowEvent('online', () => void read());
  useEffect(() => {
    if (reachable) return;
    const timer = setInterval(() => void read(), INTERVAL_MS);
    return () => clearInterval(timer);
  }, [reachable, read]);
}
