// Session: passkeys: whether this browser supports them for this address, adding one, and signing in.
import { PorticoError } from '../graphql/portico-error.ts';
import { authCall } from './auth-call.ts';

export interface Passkey {
  id: string;
  name: string;
  created_at: string;
  last_used_at: string | null;
  /** Whether it is synchronised to other devices. */
  synced: boolean;
}

/** Browsers support them only on secure pages with a host name, not with an IP address. */
export const canHavePasskeys = (): boolean =>
  globalThis.PublicKeyCredential !== undefined && !/^[\d.]+$|:/.test(location.hostname);

/** Loaded on demand. */
const library = () => import('@simplewebauthn/browser');

/** Asks the device. Throws PorticoError if the person cancels, or it times out. */
async function ask<Response>(asked: Promise<Response>): Promise<string> {
  try {
    return JSON.stringify(await asked);
  } catch (cause) {
    const known = (cause as { code?: string }).code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED';
    throw new PorticoError(0, { code: 'wrong_code', message: known ? ALREADY : STOPPED });
  }
}

const STOPPED = 'No passkey was received: it was cancelled, took too long, or this device has none for this address.';
const ALREADY = 'This device has a passkey for your account already.';

/** Requires the password again, since a passkey gives access to the account. */
export async function addPasskey(password: string, name: string): Promise<void> {
  type Options = { options: Parameters<Awaited<ReturnType<typeof library>>['startRegistration']>[0]['optionsJSON'] };
  const { options } = await authCall<Options>('/passkey/begin-adding', { password });
  const { startRegistration } = await library();
  const response = await ask(startRegistration({ optionsJSON: options }));
  await authCall('/passkey/add', { name, response });
}

export async function signInWithPasskey(): Promise<void> {
  type Options = { options: Parameters<Awaited<ReturnType<typeof library>>['startAuthentication']>[0]['optionsJSON'] };
  const { options } = await authCall<Options>('/passkey/begin-sign-in', {});
  const { startAuthentication } = await library();
  const response = await ask(startAuthentication({ optionsJSON: options }));
  await authCall('/passkey/sign-in', { response });
}

export async function removePasskey(id: string, password: string): Promise<void> {
  await authCall('/remove-passkey', { id, password });
}
