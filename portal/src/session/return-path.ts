// Session: where somebody wanted to go before they had to sign in.
import { notifications } from '@mantine/notifications';
import type { QueryClient } from '@tanstack/react-query';
import { navigate } from 'wouter/use-browser-location';
import { keepDrafts } from './drafts.ts';
import { isIrreplaceable } from './leaving.ts';

const BASE = '/portal';

/** The path below /portal that `?return=` names, if it is one of ours. */
export function returnPath(search: string): string {
  const wanted = new URLSearchParams(search).get('return') ?? '/';
  return wanted.startsWith('/') && !wanted.startsWith('//') && !wanted.includes('\\') ? wanted : '/';
}

/** Forgets everything that was read and asks to sign in, once however many calls were refused. */
export function toSignIn(client: QueryClient): void {
  const path = location.pathname.slice(BASE.length);
  if (path.startsWith('/sign-in')) return;
  if (isIrreplaceable()) {
    sayEnded();
    return;
  }
  keepDrafts();
  const wanted = path === '' || path === '/' ? '' : `?return=${encodeURIComponent(path + location.search)}`;
  navigate(`${BASE}/sign-in${wanted}`, { replace: true });
  client.clear();
}

/** Once, however often. */
function sayEnded(): void {
  const message = 'Your session has ended. Keep what is shown here first; you are asked to sign in when you go on.';
  notifications.show({ id: 'session-ended', message, autoClose: false });
}

const KEPT = 'portico-return';

/** For the way over a provider's page, whose answer leads to the start page only. */
export function keepReturnPath(path: string): void {
  sessionStorage.setItem(KEPT, path);
}

/** The path that was kept, once. */
export function takeReturnPath(): string | null {
  const path = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  return path;
}
