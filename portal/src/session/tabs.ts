// Session: what one tab does to the session, the others learn at once. They only look for themselves: the server knows.
import { useEffect } from 'react';

const channel = new BroadcastChannel('portico-session');

/** After signing in or out, or going on as somebody else. */
export function tellTabs(): void {
  channel.postMessage(null);
}

/** Calls `read` when another tab has told, and when somebody comes back to this one. */
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
