// Portal: what its routes share.

import type { IdentityProvider } from '#core/identity-providers.ts';
import type { SecondFactorRule } from '#core/second-factor-rule.ts';
import type { People } from '#gateway/consent/people.ts';
import type { KeySet } from '#gateway/consent/receipt-signature.ts';
import type { Gateway } from '#gateway/gateway.ts';
import type { Ledger } from '#gateway/ledger/ledger.ts';
import type { Notices } from '#gateway/notices/notices.ts';
import type { Client } from '#gateway/personal-data/client-export.ts';
import type { AreaPolicy } from '#http/exchange.ts';
import type { SignIn } from './auth/sign-in.ts';
import type { UnsubscribeLinks } from './notices/unsubscribe-links.ts';

export interface Portal {
  gateway: Gateway;
  people: People;
  /** The public keys that consent receipts are verified with. */
  keySet: () => Promise<KeySet>;
  ledger: Ledger;
  /** Pieces of the file of everything held on a client. */
  personalData: (client: Client) => AsyncGenerator<string>;
  signIn: SignIn;
  policy: AreaPolicy;
  /** Configured origin; null: any name that browsers use. */
  origin: string | null;
  providers: readonly IdentityProvider[];
  /** Whether mail can be sent. */
  mail: boolean;
  /** Of whom a second factor is required, besides what firms require. */
  requireSecondFactor: SecondFactorRule;
  notices: Notices;
  links: UnsubscribeLinks;
}
