// Session: the account's sessions.
import { useQuery } from '@tanstack/react-query';
import type { PorticoError } from '../graphql/portico-error.ts';
import { authCall } from './auth-call.ts';
import { noteSignedOut } from './sign-in.ts';

export interface PortalSession {
  id: string;
  /** Whether it is the present one. */
  current: boolean;
  created_at: string;
  last_seen_at: string;
  ip_address: string | null;
  user_agent: string | null;
  provider: string | null;
}

export const SESSIONS = ['sessions'] as const;

export const useSessions = () =>
  useQuery<PortalSession[], PorticoError>({
    queryKey: SESSIONS,
    queryFn: async () => (await authCall<{ sessions: PortalSession[] }>('/sessions')).sessions,
  });

export async function endSession(id: string): Promise<void> {
  await authCall('/end-session', { id });
}

/** Includes the present session. */
export async function signOutEverywhere(): Promise<void> {
  await authCall('/sign-out-everywhere', {});
  noteSignedOut();
}

const BROWSERS: readonly [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];

const SYSTEMS: readonly [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** `Chrome on macOS`: approximate, as user agents are. */
export function deviceText(userAgent: string | null): string {
  const find = (rows: readonly [RegExp, string][]) => rows.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1];
  const browser = find(BROWSERS);
  const system = find(SYSTEMS);
  if (browser === undefined) return system === undefined ? 'Another program' : `A program on ${system}`;
  return system === undefined ? browser : `${browser} on ${system}`;
}
