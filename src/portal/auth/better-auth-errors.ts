// Portal: translates errors of the sign-in library into refusals.
import { type ErrorCode, Refusal, type RefusalDetails } from '#core/errors.ts';
import { MAX_PASSWORD, MIN_PASSWORD } from '#core/text-lengths.ts';

/** The library's code → ours, with a more precise message where needed. */
const ROWS: Record<string, [ErrorCode, RefusalDetails?]> = {
  INVALID_EMAIL_OR_PASSWORD: ['invalid_credentials'],
  INVALID_EMAIL: ['invalid_credentials'],
  NO_IDENTITY: ['forbidden', { message: 'This account may not sign in by password.' }],
  INVALID_PASSWORD: ['wrong_password'],
  CREDENTIAL_ACCOUNT_NOT_FOUND: ['wrong_password', { message: 'This account has no password.' }],
  PASSWORD_TOO_SHORT: [
    'invalid_parameter',
    { param: 'newPassword', message: `A password must have at least ${MIN_PASSWORD} characters.` },
  ],
  PASSWORD_TOO_LONG: [
    'invalid_parameter',
    { param: 'newPassword', message: `A password can have at most ${MAX_PASSWORD} characters.` },
  ],
  INVALID_TOKEN: ['invalid_link'],
  USER_NOT_FOUND: ['invalid_link'],
  INVALID_CODE: ['wrong_code'],
  INVALID_BACKUP_CODE: ['wrong_code'],
  INVALID_TWO_FACTOR_COOKIE: ['not_signed_in', { message: 'The sign-in has taken too long; start it again.' }],
  ACCOUNT_TEMPORARILY_LOCKED: [
    'rate_limit_exceeded',
    { message: 'Too many wrong codes: the second factor is locked for 15 minutes.', retryAfter: 900 },
  ],
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: ['not_signed_in', { message: 'Too many wrong codes; start the sign-in again.' }],
  TOTP_ALREADY_ENABLED: ['invalid_transition', { message: 'The second factor is already on.' }],
  TOTP_NOT_ENABLED: ['invalid_transition', { message: 'The second factor is not set up.' }],
  TWO_FACTOR_NOT_ENABLED: ['invalid_transition', { message: 'The second factor is off.' }],
  BACKUP_CODES_NOT_ENABLED: ['invalid_transition', { message: 'The second factor is not set up.' }],
  FACTOR_UNREADABLE: [
    'invalid_transition',
    {
      message: 'Your authenticator app and recovery codes no longer work here: ask for your second factor to be reset.',
    },
  ],
  PASSKEY_UNKNOWN: ['invalid_credentials', { message: 'This passkey is not registered here. Sign in another way.' }],
  PASSKEY_FAILED: ['invalid_credentials', { message: 'The passkey could not be verified. Try again.' }],
  PROVIDER_NOT_FOUND: ['resource_not_found', { message: 'There is no such way to sign in.' }],
  UNAUTHORIZED: ['not_signed_in'],
};

const BY_STATUS: Record<number, ErrorCode> = { 401: 'not_signed_in', 403: 'forbidden', 404: 'route_not_found' };

/** The refusal for a response of the library with this status and code. */
export function refusalOf(status: number, code: unknown): Refusal {
  const row = typeof code === 'string' && Object.hasOwn(ROWS, code) ? ROWS[code] : undefined;
  if (row !== undefined) return new Refusal(...row);
  if (status >= 500) return new Refusal('internal_error', { cause: new Error(`sign-in: ${status} ${String(code)}`) });
  return new Refusal(BY_STATUS[status] ?? (status === 409 ? 'invalid_transition' : 'invalid_body'));
}
