// Session: the page that was requested before signing in, and navigation after the session has changed.
import { notifications } from '@mantine/notifications';
import type { QueryClient } from '@tanstack/react-query';
import { navigate, useHistoryState } from 'wouter/use-browser-location';
import { actingAs, noteActingAs } from '../graphql/acting-as.ts';
import { keepDrafts } from './drafts.ts';
import { isIrreplaceable } from './leaving.ts';
import { startOver } from './start-over.ts';

const BASE = '/portal';

/** The path below /portal in `?return=`, if it is a local one. */
export function returnPath(search: string): string {
  const wanted = new URLSearchParams(search).get('return') ?? '/';
  return wanted.startsWith('/') && !wanted.startsWith('//') && !wanted.includes('\\') ? wanted : '/';
}

/** Clears all cached data and goes to the sign-in page, once for any number of refused calls. */
export function toSignIn(client: QueryClient): void {
  const path = location.pathname.slice(BASE.length);
  if (path.startsWith('/sign-in')) return;
  if (isIrreplaceable()) {
    sayOnce('Your session has ended. Save what is shown here first; you are asked to sign in when you continue.');
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

/** For the sign-in page: what was ended before it; null if nothing was. */
export const useEnded = (): Ended['ended'] | null => useHistoryState<Ended | null>()?.ended ?? null;

/** Another tab has switched to another identity: this tab starts over as well. */
export function toOther(): void {
  if (isIrreplaceable()) {
    sayOnce(`${ELSEWHERE}. Save what is shown here first; this tab follows when you continue.`);
    return;
  }
  const said = `${ELSEWHERE}; this tab has followed.`;
  const kept = `${said} What was filled in here is kept until you switch back.`;
  startOver({ path: `${BASE}/`, message: (any) => (any ? kept : said) });
}

const ELSEWHERE = 'In another tab you switched to somebody else';

/** Shows one message, however often it is called. */
const sayOnce = (message: string) => notifications.show({ id: 'session-ended', message, autoClose: false });

const CONNECT = 'portico-connect';
const CONNECT_KEPT_MS = 86_400_000;

/**
 * Keeps the path of a firm's link beyond the tab, because a person without a password continues from the mail of their
 * invitation. Kept for a day, or until it is used.
 */
export function keepConnectPath(path: string): void {
  if (path.startsWith('/connect/')) localStorage.setItem(CONNECT, JSON.stringify({ path, at: Date.now() }));
}

export function forgetConnectPath(): void {
  localStorage.removeItem(CONNECT);
}

function keptConnectPath(): string | null {
  const kept = localStorage.getItem(CONNECT);
  if (kept === null) return null;
  const { path, at } = JSON.parse(kept) as { path: string; at: number };
  forgetConnectPath();
  return Date.now() - at < CONNECT_KEPT_MS ? path : null;
}

const KEPT = 'portico-return';

/** For the way through a provider's page, which returns to the start page only. */
export function keepReturnPath(path: string): void {
  sessionStorage.setItem(KEPT, path);
}

/** Returns the kept path, once. */
export function takeReturnPath(): string | null {
  const path = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  return path ?? keptConnectPath();
}
