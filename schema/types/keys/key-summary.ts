// Schema: a firm's key as a client may see it before granting anything to it.
import { ENVIRONMENTS } from '#core/principal.ts';
import { requireClient } from '#gateway/consent/actor.ts';
import { type KeySummary as KeySummaryShape, requireKeySummary } from '#repositories/keys/key-summaries.ts';
import { builder, ofClient } from '../../builder.ts';
import { either } from '../../either.ts';
import { exposed } from '../../exposed.ts';
import { firmIdentityField } from '../consent/firm-identity.ts';

const KeySummary = builder.objectRef<KeySummaryShape>('KeySummary').implement({
  description: 'A key as a client may see it before granting anything to it.',
  fields: (t) => ({
    ...exposed(t, 'client', {
      keyId: ['ID', 'The key: `key_` and a ULID.'],
      name: ['String', 'Given by the firm.'],
      environment: ['String', `${either(ENVIRONMENTS)}; always the client's own.`],
      firmId: ['ID', 'The firm whose key it is.'],
      firmName: ['String', 'Its name.'],
      activeGrantId: ['ID?', "The client's active grant to it; null for none."],
      pendingGrantId: ['ID?', "The firm's pending request; null for none."],
      scopes: ['Scopes', 'Names of the scopes of the key, which limit what a grant can show.'],
    }),
    firmIdentity: firmIdentityField(t, ofClient),
  }),
});

builder.queryField('keySummary', (t) =>
  t.field({
    type: KeySummary,
    authScopes: ofClient,
    description:
      'The key with this id, or the newest of its lineage, for a client who considers a grant to it. A key of another environment is unknown.',
    args: { keyId: t.arg.id({ required: true }) },
    resolve: (_root, { keyId }, context) => requireKeySummary(context.database, requireClient(context), keyId.trim()),
  }),
);
