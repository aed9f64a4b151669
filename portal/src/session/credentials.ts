// Session: changing one's own password and second factor.
import { authCall } from './auth-call.ts';

export interface SetUp {
  /** `otpauth://totp/…`, what the QR code says. */
  totpURI: string;
  /** Each works once; shown this once. */
  backupCodes: string[];
}

/** Nothing is on before `confirmSecondFactor`. */
export function beginSecondFactor(password: string): Promise<SetUp> {
  return authCall('/two-factor/enable', { password });
}

export async function confirmSecondFactor(code: string): Promise<void> {
  await authCall('/two-factor/verify-totp', { code });
}

export async function endSecondFactor(password: string): Promise<void> {
  await authCall('/two-factor/disable', { password });
}

/** The earlier ones work no more. */
export async function newRecoveryCodes(password: string): Promise<string[]> {
  return (await authCall<{ backupCodes: string[] }>('/two-factor/generate-backup-codes', { password })).backupCodes;
}

export async function changePassword(currentPassword: string, newPassword: string): Promise<void> {
  await authCall('/change-password', { currentPassword, newPassword });
}
