// Portal: what its routes share.

import type { IdentityProvider } from '#core/identity-providers.ts';
import type { People } from '#gateway/consent/people.ts';
import type { KeySet } from '#gateway/consent/receipt-signature.ts';
import type { Gateway } from '#gateway/gateway.ts';
import type { Notices } from '#gateway/notices/notices.ts';
import type { AreaPolicy } from '#http/exchange.ts';
import type { SignIn } from './auth/sign-in.ts';
import type { UnsubscribeLinks } from './notices/unsubscribe-links.ts';

export interface Portal {
  gateway: Gateway;
  people: People;
  /** The public keys that consent receipts are verified with. */
  keySet: () => Promise<KeySet>;
  signIn: SignIn;
  policy: AreaPolicy;
  /** Configured origin; null: any name that browsers use. */
  origin: string | null;
  providers: readonly IdentityProvider[];
  /** Whether mail can be sent. */
  mail: boolean;
  notices: Notices;
  links: UnsubscribeLinks;
}
