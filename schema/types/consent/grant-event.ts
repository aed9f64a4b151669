// Schema: events of grants, and the query for a client's history of them.

import { requireClient } from '#gateway/consent/actor.ts';
import { type GrantEventView, viewGrantEvents } from '#gateway/consent/grant-view.ts';
import { BY_TIME_AND_NUMBER, readWalk, toWalkPage, type WalkPage } from '#gateway/paging/keyset-pagination.ts';
import {
  type ConsentFirm as ConsentFirmShape,
  listClientGrantEvents,
  listConsentFirms,
} from '#repositories/grants/grant-events.ts';
import { markExpired } from '#repositories/grants/grants.ts';
import { builder, ofClient, ofConsent } from '../../builder.ts';
import { nextCursorField, WALK_ARGS } from '../portfolio/page.ts';
import { Actor } from './actor.ts';
import { GrantFilter } from './grant-filter.ts';

export const GrantEvent = builder.objectRef<GrantEventView>('GrantEvent').implement({
  description: "One step of a grant's life.",
  fields: (t) => ({
    id: t.expose('id', {
      type: 'ID',
      authScopes: ofConsent,
      description: 'Of the whole history; steps that were recorded later have greater ones.',
    }),
    at: t.expose('at', { type: 'Timestamp', authScopes: ofConsent, description: 'When.' }),
    actor: t.expose('actor', { type: Actor, authScopes: ofConsent, description: 'Who took it.' }),
    action: t.exposeString('action', {
      authScopes: ofConsent,
      description: 'request, grant, approve, decline, withdraw, change, revoke or expire.',
    }),
    grantId: t.expose('grantId', { type: 'ID', authScopes: ofConsent, description: 'The grant.' }),
    firmId: t.expose('firmId', { type: 'ID', authScopes: ofConsent, description: 'The firm that it is given to.' }),
    firmName: t.exposeString('firmName', { authScopes: ofConsent, description: 'Its name.' }),
    keyName: t.exposeString('keyName', {
      authScopes: ofConsent,
      description: 'What the newest key of the chain of rotations was called when the step was taken.',
    }),
    scopes: t.exposeStringList('scopes', {
      nullable: true,
      authScopes: ofConsent,
      description: 'The scopes that the step set; null where it left them alone.',
    }),
    filter: t.expose('filter', {
      type: GrantFilter,
      nullable: true,
      authScopes: ofConsent,
      description: 'The filter that the step set; null where it left it alone.',
    }),
    expirySet: t.exposeBoolean('expirySet', {
      authScopes: ofConsent,
      description: 'Whether the step set an expiry (`expiresAt`, null: none).',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'Timestamp',
      nullable: true,
      authScopes: ofConsent,
      description: 'The expiry that the step set.',
    }),
    purpose: t.exposeString('purpose', {
      nullable: true,
      authScopes: ofConsent,
      description: 'What a request said it is for.',
    }),
  }),
});

const GrantEventConnection = builder.objectRef<WalkPage<GrantEventView>>('GrantEventConnection').implement({
  description: "A page of the client's consent history, newest first.",
  fields: (t) => ({
    nodes: t.expose('nodes', { type: [GrantEvent], authScopes: ofClient, description: 'The steps of the page.' }),
    nextCursor: nextCursorField(t, ofClient),
  }),
});

builder.queryField('consentHistory', (t) =>
  t.field({
    type: GrantEventConnection,
    authScopes: ofClient,
    complexity: 50,
    description: 'Every step of every grant.',
    args: {
      firmId: t.arg.id({ description: 'Only of grants to this firm.' }),
      ...WALK_ARGS,
    },
    resolve: async (_root, { firmId = null, ...paging }, context) => {
      const client = requireClient(context);
      const request = readWalk(paging, { list: 'consentHistory', query: firmId, keys: BY_TIME_AND_NUMBER }, context);
      // What upkeep has not recorded yet.
      await markExpired(context.database, { clientId: client });
      const events = await listClientGrantEvents(context.database, client, { firmId }, request.walk);
      const { nodes, nextCursor } = toWalkPage(events, request, ({ at, id }) => [at, id]);
      return { nodes: await viewGrantEvents(context, nodes), nextCursor };
    },
  }),
);

const ConsentFirm = builder.objectRef<ConsentFirmShape>('ConsentFirm').implement({
  description: 'A firm in the consent history.',
  fields: (t) => ({
    firmId: t.expose('firmId', { type: 'ID', authScopes: ofClient, description: 'The firm.' }),
    firmName: t.exposeString('firmName', { authScopes: ofClient, description: 'Its name.' }),
  }),
});

builder.queryField('consentFirms', (t) =>
  t.field({
    type: [ConsentFirm],
    authScopes: ofClient,
    description: 'Every firm that stands in the consent history, by name.',
    resolve: (_root, _args, context) => listConsentFirms(context.database, requireClient(context)),
  }),
);
