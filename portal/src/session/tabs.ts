// Session: notifies other tabs of changes of the session. They only check again, since the server decides.
import { useEffect } from 'react';

const channel = new BroadcastChannel('portico-session');

/** To be called after signing in or out, or switching the identity. */
export function tellTabs(): void {
  channel.postMessage(null);
}

/** Calls `read` when another tab has sent a notification, and when the user returns to this tab. */
export function useOtherTabs(read: () => unknown): void {
  useEffect(() => {
    const look = () => void read();
    channel.addEventListener('message', look);
    window.addEventListener('focus', look);
    return () => {
      channel.removeEventListener('message', look);
      window.removeEventListener('focus', look);
    };
  }, [read]);
}
