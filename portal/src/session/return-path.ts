// Session: where somebody wanted to go before they had to sign in, and where they go when they are somebody else now.
import { notifications } from '@mantine/notifications';
import type { QueryClient } from '@tanstack/react-query';
import { navigate, useHistoryState } from 'wouter/use-browser-location';
import { actingAs, noteActingAs } from '../graphql/acting-as.ts';
import { keepDrafts } from './drafts.ts';
import { isIrreplaceable } from './leaving.ts';
import { startOver } from './start-over.ts';

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
    sayOnce('Your session has ended. Keep what is shown here first; you are asked to sign in when you go on.');
    return;
  }
  const ended: Ended | null = actingAs() === null ? null : { ended: keepDrafts() ? 'with drafts' : 'plainly' };
  const wanted = path === '' || path === '/' ? '' : `?return=${encodeURIComponent(path + location.search)}`;
  navigate(`${BASE}/sign-in${wanted}`, { replace: true, state: ended });
  noteActingAs(null);
  client.clear();
}

interface Ended {
  ended: 'with drafts' | 'plainly';
}

/** Of the sign-in page: what ended before it; null where nothing did. */
export const useEnded = (): Ended['ended'] | null => useHistoryState<Ended | null>()?.ended ?? null;

/** In another tab somebody went on as somebody else: so does this one, from the start. */
export function toOther(): void {
  if (isIrreplaceable()) {
    sayOnce(`${ELSEWHERE}. Keep what is shown here first; this tab follows when you go on.`);
    return;
  }
  const said = `${ELSEWHERE}; this tab has followed.`;
  const kept = `${said} What was filled in here is kept until you are back as who you were.`;
  startOver({ path: `${BASE}/`, message: (any) => (any ? kept : said) });
}

const ELSEWHERE = 'In another tab you went on as somebody else';

/** However often. */
const sayOnce = (message: string) => notifications.show({ id: 'session-ended', message, autoClose: false });

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
