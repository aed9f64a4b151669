// Session: notifies other tabs of changes of the session. They only check again, since the server decides.
import { useWindowEvent } from '@mantine/hooks';
import { useEffect } from 'react';

const channel = new BroadcastChannel('portico-session');

/** To be called after signing in or out, or switching the identity. */
export function notifyTabs(): void {
  channel.postMessage(null);
}

/** Calls `read` when another tab has sent a notification, and when the user returns to this tab. */
export function useOtherTabs(read: () => unknown): void {
  useWindowEvent('focus', () => void read());
  useEffect(() => {
    const check = () => void read();
    channel.addEventListener('message', check);
    return () => channel.removeEventListener('message', check);
  }, [read]);
}
