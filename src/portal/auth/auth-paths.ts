// Portal: the endpoints of the sign-in library that are exposed, and what each means for sessions and second factors.
import type { SignInEvent } from '#core/events.ts';

/** The path below which all sign-in routes are. */
export const AUTH_PATH = '/portal/auth';

export interface AuthPath {
  /** Below AUTH_PATH. */
  path: string;
  /** Members of the body that are passed to the library, all of them strings. */
  members: readonly string[];
  /** How it signs in, or completes a sign-in. */
  way?: SignInEvent['way'];
  /** Whether the session that it begins has a second factor. Absent, a session that replaces another inherits it. */
  withSecondFactor?: boolean;
  /** Whether it changes the factors of the session's account. If so, attempts are counted by account. */
  changesFactors?: 'always' | 'in a session';
  /** Whether the response precedes the work, whose duration would reveal whether the address has an account. */
  answersFirst?: true;
}

export const AUTH_PATHS: readonly AuthPath[] = [
  { path: '/sign-in/email', members: ['email', 'password'], way: 'password' },
  { path: '/sign-out', members: [] },
  { path: '/request-password-reset', members: ['email'], answersFirst: true },
  { path: '/reset-password', members: ['token', 'newPassword'] },
  { path: '/two-factor/enable', members: ['password'], changesFactors: 'always' },
  { path: '/two-factor/disable', members: ['password'], changesFactors: 'always', withSecondFactor: false },
  { path: '/two-factor/generate-backup-codes', members: ['password'], changesFactors: 'always' },
  {
    path: '/two-factor/verify-totp',
    ...{ members: ['code'], changesFactors: 'in a session', way: 'code', withSecondFactor: true },
  },
  { path: '/two-factor/verify-backup-code', members: ['code'], way: 'recovery_code', withSecondFactor: true },
  { path: '/passkey/begin-adding', members: ['password'], changesFactors: 'always' },
  { path: '/passkey/add', members: ['name', 'response'], changesFactors: 'always' },
  { path: '/passkey/begin-sign-in', members: [] },
  { path: '/passkey/sign-in', members: ['response'], way: 'passkey', withSecondFactor: true },
];

/** What the path means; nothing for other paths of the library. */
export const meaningOf = (path: string | undefined): Pick<AuthPath, 'way' | 'withSecondFactor'> =>
  AUTH_PATHS.find((one) => one.path === path) ?? {};
