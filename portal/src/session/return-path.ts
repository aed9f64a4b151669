// Session: the page that was requested before signing in, and navigation after the session has changed.
import { notifications } from '@mantine/notifications';
import type { QueryClient } from '@tanstack/react-query';
import { navigate, useHistoryState } from 'wouter/use-browser-location';
import { DAY_MS } from '#core/timestamps.ts';
import { actingAs, noteActingAs } from '../graphql/acting-as.ts';
import { storeDrafts } from './drafts.ts';
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
    notifyOnce('Your session has ended. Save what is shown here first; you are asked to sign in when you continue.');
    return;
  }
  const ended: Ended | null = actingAs() === null ? null : { ended: storeDrafts() ? 'with drafts' : 'plainly' };
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
    notifyOnce(`${ELSEWHERE}. Save what is shown here first; this tab follows when you continue.`);
    return;
  }
  const text = `${ELSEWHERE}; this tab has followed.`;
  const kept = `${text} What was filled in here is kept until you switch back.`;
  startOver({ path: `${BASE}/`, message: (any) => (any ? kept : text) });
}

const ELSEWHERE = 'In another tab you switched to somebody else';

/** Shows one message, however often it is called. */
export const notifyOnce = (message: string) => notifications.show({ id: 'session-ended', message, autoClose: false });

const CONNECT_KEY = 'portico-connect';
const CONNECT_MAX_AGE_MS = DAY_MS;

/**
 * Keeps the path of a firm's link beyond the tab, because a person without a password continues from the mail of their
 * invitation. Kept for a day, or until it is used.
 */
export function storeConnectPath(path: string): void {
  if (path.startsWith('/connect/')) localStorage.setItem(CONNECT_KEY, JSON.stringify({ path, at: Date.now() }));
}

export function forgetConnectPath(): void {
  localStorage.removeItem(CONNECT_KEY);
}

function takeConnectPath(): string | null {
  const kept = localStorage.getItem(CONNECT_KEY);
  if (kept === null) return null;
  const { path, at } = JSON.parse(kept) as { path: string; at: number };
  forgetConnectPath();
  return Date.now() - at < CONNECT_MAX_AGE_MS ? path : null;
}

const RETURN_KEY = 'portico-return';

/** For the way through a provider's page, which returns to the start page only. */
export function storeReturnPath(path: string): void {
  sessionStorage.setItem(RETURN_KEY, path);
}

/** Returns the kept path, once. */
export function takeReturnPath(): string | null {
  const path = sessionStorage.getItem(RETURN_KEY);
  sessionStorage.removeItem(RETURN_KEY);
  return path ?? takeConnectPath();
}
