// Portal: the parts that its routes share.

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
  /** The public keys for verifying consent receipts. */
  keySet: () => Promise<KeySet>;
  ledger: Ledger;
  /** The file of all data held on a client, in pieces. */
  personalData: (client: Client) => AsyncGenerator<string>;
  signIn: SignIn;
  policy: AreaPolicy;
  /** The configured origin; null to accept any host that browsers use. */
  origin: string | null;
  providers: readonly IdentityProvider[];
  /** Whether mail can be sent. */
  mail: boolean;
  /** Who needs a second factor, in addition to what firms require. */
  requireSecondFactor: SecondFactorRule;
  notices: Notices;
  links: UnsubscribeLinks;
}
