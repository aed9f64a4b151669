// Portal: maps the sign-in library's models (left) to our tables (right).
import type { IdKind } from '#core/ids.ts';

const TIMES = { createdAt: 'created_at', updatedAt: 'updated_at' };
const SESSION_EPOCH = { type: 'number', required: false, input: false, fieldName: 'session_epoch' } as const;

export const user = {
  modelName: 'portal_accounts',
  fields: { emailVerified: 'email_verified', ...TIMES },
  additionalFields: { sessionEpoch: SESSION_EPOCH },
} as const;

export const session = {
  modelName: 'portal_sessions',
  fields: {
    userId: 'account_id',
    token: 'session_token',
    ipAddress: 'ip_address',
    userAgent: 'user_agent',
    expiresAt: 'expires_at',
    ...TIMES,
  },
  additionalFields: {
    actingUserId: { type: 'string', required: false, input: false, fieldName: 'acting_user_id' },
    provider: { type: 'string', required: false, input: false },
    withSecondFactor: { type: 'boolean', required: false, input: false, fieldName: 'with_second_factor' },
    newDevice: { type: 'boolean', required: false, input: false, fieldName: 'new_device' },
    sessionEpoch: SESSION_EPOCH,
  },
} as const;

export const account = {
  modelName: 'portal_credentials',
  fields: {
    userId: 'account_id',
    providerId: 'provider',
    accountId: 'subject',
    password: 'password_hash',
    accessToken: 'oauth_access',
    accessTokenExpiresAt: 'oauth_access_expires_at',
    refreshToken: 'oauth_refresh',
    refreshTokenExpiresAt: 'oauth_refresh_expires_at',
    idToken: 'oauth_identity',
    scope: 'oauth_scope',
    ...TIMES,
  },
} as const;

export const verification = {
  modelName: 'portal_verifications',
  fields: { identifier: 'lookup_key', value: 'held_value', expiresAt: 'expires_at', ...TIMES },
  additionalFields: { sessionEpoch: SESSION_EPOCH },
} as const;

export const secondFactor = {
  user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
  twoFactor: {
    modelName: 'portal_second_factors',
    fields: {
      userId: 'account_id',
      secret: 'totp_secret',
      backupCodes: 'recovery_codes',
      failedVerificationCount: 'failed_verification_count',
      lockedUntil: 'locked_until',
    },
  },
} as const;

/** Kind of the ids of each model's rows. */
export const ID_KINDS: Record<string, IdKind> = {
  user: 'account',
  session: 'session',
  account: 'credential',
  verification: 'verification',
  twoFactor: 'second_factor',
};
