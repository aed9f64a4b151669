// Schema: grants, as both sides of the consent look at them.
import { scopesOf } from '#core/scopes.ts';
import { type GrantView, viewGrantEvents } from '#gateway/consent/grant-view.ts';
import { signedReceiptOf } from '#gateway/consent/receipt-signature.ts';
import { batchLoad } from '#gateway/execution/batch-loaders.ts';
import type { Context } from '#gateway/execution/context.ts';
import { newestCheckpoint } from '#gateway/ledger/ledger.ts';
import { grantEvents } from '#repositories/grants/grant-events.ts';
import { builder, ofClient, ofConsent } from '../../builder.ts';
import { firmIdentityField } from './firm-identity.ts';
import { GrantEvent } from './grant-event.ts';
import { GrantFilter } from './grant-filter.ts';
import { ConsentReceipt } from './receipt.ts';

const eventsOf = async (context: Context, { id }: GrantView) =>
  viewGrantEvents(context, (await batchLoad(context, grantEvents, id)) ?? []);

export const Grant = builder.objectRef<GrantView>('Grant').implement({
  description: "A client's consent: what a firm's key (with those it is rotated to) may see, until when.",
  fields: (t) => ({
    id: t.expose('id', { type: 'ID', authScopes: ofConsent, description: 'The grant: `grt_` and a ULID.' }),
    status: t.exposeString('status', {
      authScopes: ofConsent,
      description:
        'pending, active, declined, withdrawn, revoked or expired. Firms: a request that was declined stays pending.',
    }),
    firmId: t.expose('firmId', { type: 'ID', authScopes: ofConsent, description: 'The firm that it is given to.' }),
    firmName: t.exposeString('firmName', { authScopes: ofConsent, description: 'Its name.' }),
    firmIdentity: firmIdentityField(t, ofConsent),
    keyId: t.expose('keyId', {
      type: 'ID',
      authScopes: ofConsent,
      description: 'The newest key of the chain of rotations.',
    }),
    keyName: t.exposeString('keyName', { authScopes: ofConsent, description: 'Its name.' }),
    keyScopes: t.stringList({
      authScopes: ofConsent,
      description: 'Names of the scopes of the key: nothing beyond these is seen, whatever is granted.',
      resolve: ({ keyScopes }) => scopesOf(keyScopes),
    }),
    keyStatus: t.exposeString('keyStatus', {
      authScopes: ofConsent,
      description: 'active, expired or revoked: whether the newest key can be used.',
    }),
    environment: t.exposeString('environment', { authScopes: ofConsent, description: 'sandbox or production.' }),
    addressee: t.exposeString('addressee', {
      nullable: true,
      authScopes: ofConsent,
      description: 'Whom the firm asked, in its own words; null where the client gave unasked.',
    }),
    clientId: t.expose('clientId', {
      type: 'ID',
      nullable: true,
      authScopes: ofConsent,
      description: "The client's user id. Firms: null until the client has approved.",
    }),
    clientName: t.exposeString('clientName', {
      nullable: true,
      authScopes: ofConsent,
      description: 'Name of the client. Firms: null until the client has approved.',
    }),
    clientEmail: t.exposeString('clientEmail', {
      nullable: true,
      authScopes: ofConsent,
      description: 'E-mail address of the client. Firms: null until the client has approved.',
    }),
    testClient: t.exposeBoolean('testClient', {
      authScopes: ofConsent,
      description: 'Whether the firm made the client, to try things with.',
    }),
    scopes: t.stringList({
      authScopes: ofConsent,
      description: 'Scope names granted, in the order of `viewer.scopes`.',
      resolve: ({ scopes }) => scopesOf(scopes),
    }),
    filter: t.expose('filter', { type: GrantFilter, authScopes: ofConsent, description: 'Which items it covers.' }),
    purpose: t.exposeString('purpose', {
      nullable: true,
      authScopes: ofConsent,
      description: 'What the firm said it is for.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'Timestamp',
      authScopes: ofConsent,
      description: 'When it was requested or given.',
    }),
    activatedAt: t.expose('activatedAt', {
      type: 'Timestamp',
      nullable: true,
      authScopes: ofConsent,
      description: 'When it became active.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'Timestamp',
      nullable: true,
      authScopes: ofConsent,
      description: 'When it ends by itself; null: when revoked.',
    }),
    expiringSoon: t.exposeBoolean('expiringSoon', {
      authScopes: ofConsent,
      description: 'Active, and ends within 7 days.',
    }),
    endedAt: t.expose('endedAt', {
      type: 'Timestamp',
      nullable: true,
      authScopes: ofConsent,
      description: 'When it ended.',
    }),
    updatedAt: t.expose('updatedAt', {
      type: 'Timestamp',
      authScopes: ofConsent,
      description: 'When it last changed.',
    }),
    lastSeenAt: t.expose('lastSeenAt', {
      type: 'Timestamp',
      nullable: true,
      authScopes: ofConsent,
      description: 'When the key last saw something through the grant; null: never.',
    }),
    calls30Days: t.exposeInt('calls30Days', {
      authScopes: ofConsent,
      description: 'Calls about the client by the key in the last 30 days of the grant, refused ones included.',
    }),
    lastEventId: t.expose('lastEventId', {
      type: 'ID',
      nullable: true,
      authScopes: ofClient,
      description: 'The newest of its events: what a change of the terms that are shown is based on.',
    }),
    events: t.field({
      type: [GrantEvent],
      authScopes: ofConsent,
      description: 'Every step of its life, newest first.',
      resolve: (grant, _args, context) => eventsOf(context, grant),
    }),
    receipt: t.field({
      type: ConsentReceipt,
      nullable: true,
      authScopes: ofConsent,
      complexity: 20,
      description: 'The receipt for one of its steps, as the caller may know it; null for no such step.',
      args: { eventId: t.arg.id({ required: true, description: 'The step.' }) },
      resolve: async (grant, { eventId }, context) => {
        const events = await eventsOf(context, grant);
        const event = events.find(({ id }) => id === eventId);
        if (event === undefined) return null;
        const signed = await signedReceiptOf(context.database, { grant, event, events }, context.apiBaseUrl);
        return { ...signed, checkpoint: await newestCheckpoint(context.database) };
      },
    }),
  }),
});
