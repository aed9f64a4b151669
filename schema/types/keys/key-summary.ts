// Schema: a firm's key as a client may know it before granting it anything.
import { scopesOf } from '#core/scopes.ts';
import { requireClient } from '#gateway/consent/actor.ts';
import { type KeySummary as KeySummaryShape, requireKeySummary } from '#repositories/keys/key-summaries.ts';
import { builder, ofClient } from '../../builder.ts';
import { firmIdentityField } from '../consent/firm-identity.ts';

const KeySummary = builder.objectRef<KeySummaryShape>('KeySummary').implement({
  description: 'What a client may know of a key before granting it anything.',
  fields: (t) => ({
    keyId: t.expose('keyId', { type: 'ID', authScopes: ofClient, description: 'The key: `key_` and a ULID.' }),
    name: t.exposeString('name', { authScopes: ofClient, description: 'Given by the firm.' }),
    environment: t.exposeString('environment', {
      authScopes: ofClient,
      description: "sandbox or production; always the client's own.",
    }),
    firmId: t.expose('firmId', { type: 'ID', authScopes: ofClient, description: 'The firm whose key it is.' }),
    firmName: t.exposeString('firmName', { authScopes: ofClient, description: 'Its name.' }),
    firmIdentity: firmIdentityField(t, ofClient),
    scopes: t.stringList({
      authScopes: ofClient,
      description: 'Names of the scopes of the key: nothing beyond these is ever seen.',
      resolve: ({ scopes }) => scopesOf(scopes),
    }),
    activeGrantId: t.expose('activeGrantId', {
      type: 'ID',
      nullable: true,
      authScopes: ofClient,
      description: "The client's active grant to it; null: none.",
    }),
    pendingGrantId: t.expose('pendingGrantId', {
      type: 'ID',
      nullable: true,
      authScopes: ofClient,
      description: "The firm's open request; null: none.",
    }),
  }),
});

builder.queryField('keySummary', (t) =>
  t.field({
    type: KeySummary,
    authScopes: ofClient,
    description:
      'A key that the client thinks of granting something, or the newest that it was rotated to; unknown where it is of another environment.',
    args: { keyId: t.arg.id({ required: true }) },
    resolve: (_root, { keyId }, context) => requireKeySummary(context.database, requireClient(context), keyId.trim()),
  }),
);
