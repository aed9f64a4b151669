// Session: changes of the account's second factor.
import { authCall, authChange } from './auth-call.ts';

export interface SetUp {
  /** `otpauth://totp/…`, the content of the QR code. */
  totpURI: string;
  /** Each works once; shown only once. */
  backupCodes: string[];
}

/** Takes effect only with `confirmSecondFactor`. */
export function beginSecondFactor(password: string): Promise<SetUp> {
  return authCall('/two-factor/enable', { password });
}

export async function confirmSecondFactor(code: string): Promise<void> {
  await authCall('/two-factor/verify-totp', { code });
}

export async function endSecondFactor(password: string): Promise<void> {
  await authCall('/two-factor/disable', { password });
}

/** Voids the earlier ones. */
export async function newRecoveryCodes(password: string): Promise<string[]> {
  return (await authCall<{ backupCodes: string[] }>('/two-factor/generate-backup-codes', { password })).backupCodes;
}

export async function changePassword(currentPassword: string, newPassword: string): Promise<void> {
  await authChange(
    '/change-password',
    { currentPassword, newPassword },
    'try signing in with the new password before you try again',
  );
}
