// Schema: consent receipts.
import type { SignedReceipt } from '#gateway/consent/receipt-signature.ts';
import { builder, ofConsent } from '../../builder.ts';
import { exposed } from '../../exposed.ts';

export const ConsentReceipt = builder
  .objectRef<SignedReceipt & { checkpoint: string | null }>('ConsentReceipt')
  .implement({
    description: "A signed receipt of a grant's terms after one of its events.",
    fields: (t) => ({
      receipt: t.string({
        authScopes: ofConsent,
        description: 'The receipt as JSON, with the field names of ISO/IEC TS 27560:2023.',
        resolve: ({ receipt }) => JSON.stringify(receipt),
      }),
      ...exposed(t, 'consent', {
        jws: [
          'String',
          'The same as a compact JSON Web Signature, by one of the keys that `/.well-known/jwks.json` publishes.',
        ],
        checkpoint: [
          'String?',
          'The newest checkpoint of the ledger, a signed note with which a later rewrite of the ledger can be proven. Null before the first one.',
        ],
      }),
    }),
  });
