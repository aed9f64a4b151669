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

const CONNECT = 'portico-connect';
const CONNECT_KEPT_MS = 86_400_000;

/**
 * A firm's link outlives the tab: who has no password yet goes on from the mail that invites them. For a day, and until it was
 * opened.
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

/** For the way over a provider's page, whose answer leads to the start page only. */
export function keepReturnPath(path: string): void {
  sessionStorage.setItem(KEPT, path);
}

/** The path that was kept, once. */
export function takeReturnPath(): string | null {
  const path = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  return path ?? keptConnectPath();
}
