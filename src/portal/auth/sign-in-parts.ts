// Portal: what signing in is made of, for those who use it as for the library that does it.
import type { Events } from '#core/events.ts';
import type { IdentityProvider } from '#core/identity-providers.ts';
import type { People } from '#gateway/consent/people.ts';
import type { KnownDevices } from './known-devices.ts';

/** Carries the caller's address to the library; a caller's own header of this name is dropped. */
export const ADDRESS_HEADER = 'x-portico-address';

export interface SignInParts {
  people: People;
  secret: string;
  /** Origin of addresses that leave in mails or to providers. */
  origin: string;
  /** Whether a browser may know the portal by another origin than that. */
  anyOrigin: boolean;
  providers: readonly IdentityProvider[];
  events: Events;
  devices: KnownDevices;
  /** Sends the address a link that replaces the password; absent where there is no mail. */
  sendReset: ((account: { id: string; email: string; name: string }, token: string) => Promise<void>) | null;
}
