// Portal: the parts of sign-in that its routes and the library share.
import type { Events } from '#core/events.ts';
import type { IdentityProvider } from '#core/identity-providers.ts';
import type { People } from '#gateway/consent/people.ts';
import type { KnownDevices } from './known-devices.ts';

/** Passes the caller's address to the library. A header of this name in a request is dropped. */
export const ADDRESS_HEADER = 'x-portico-address';

/** How long a link to replace a password is valid. */
export const RESET_SECONDS = 3_600;

export interface SignInParts {
  people: People;
  secret: string;
  /** Origin of addresses in mails and for providers. */
  origin: string;
  /** Whether browsers may reach the portal by other origins. */
  anyOrigin: boolean;
  providers: readonly IdentityProvider[];
  events: Events;
  devices: KnownDevices;
  /** Mails the address a link that replaces the password; null if mail is not configured. */
  sendReset: ((account: { id: string; email: string; name: string }, token: string) => Promise<void>) | null;
}
