// Schema: events of grants, and the query for a client's history of them.

import { GRANT_TRANSITIONS } from '#core/grant-lifecycle.ts';
import { requireClient } from '#gateway/consent/actor.ts';
import { type GrantEventView, viewGrantEvents } from '#gateway/consent/grant-view.ts';
import { BY_TIME_AND_NUMBER, readWalk, toWalkPage, type WalkPage } from '#gateway/paging/keyset-pagination.ts';
import {
  type ConsentFirm as ConsentFirmShape,
  listClientGrantEvents,
  listConsentFirms,
} from '#repositories/grants/grant-events.ts';
import { markExpired } from '#repositories/grants/grants.ts';
import { builder, ofClient } from '../../builder.ts';
import { either } from '../../either.ts';
import { exposing } from '../../exposed.ts';
import { NEXT_CURSOR, WALK_ARGS } from '../portfolio/page.ts';
import { Actor } from './actor.ts';
import { GrantFilter } from './grant-filter.ts';

export const GrantEvent = builder.objectRef<GrantEventView>('GrantEvent').implement({
  description: 'An event of a grant.',
  fields: exposing('consent', {
    id: ['ID', 'Ascends in the order in which events were recorded.'],
    at: ['Timestamp', 'When.'],
    actor: [Actor, 'Who took it.'],
    action: ['String', `${either(Object.keys(GRANT_TRANSITIONS))}.`],
    grantId: ['ID', 'The grant.'],
    firmId: ['ID', 'The firm that it is given to.'],
    firmName: ['String', 'Its name.'],
    keyName: ['String', 'Name of the newest key of the lineage at the time of the event.'],
    scopes: ['[String]?', 'The scopes that the event set; null if it set none.'],
    expirySet: ['Boolean', 'Whether the event set the expiry (`expiresAt`, null for no expiry).'],
    expiresAt: ['Timestamp?', 'The expiry that the event set.'],
    purpose: ['String?', 'The purpose of a request.'],
    filter: [GrantFilter, 'The filter that the event set; null if it set none.', { nullable: true }],
  }),
});

const GrantEventConnection = builder.objectRef<WalkPage<GrantEventView>>('GrantEventConnection').implement({
  description: "A page of the client's consent history, newest first.",
  fields: exposing('client', { nodes: [[GrantEvent], 'The events of the page.'], ...NEXT_CURSOR }),
});

builder.queryField('consentHistory', (t) =>
  t.field({
    type: GrantEventConnection,
    authScopes: ofClient,
    description: 'Every event of every grant.',
    args: {
      firmId: t.arg.id({ description: 'Only events of grants to this firm.' }),
      ...WALK_ARGS,
    },
    resolve: async (_root, { firmId = null, ...paging }, context) => {
      const client = requireClient(context);
      const request = readWalk(paging, { list: 'consentHistory', query: firmId, keys: BY_TIME_AND_NUMBER }, context);
      // Includes expiries that background maintenance has not recorded yet.
      await markExpired(context.database, { clientId: client });
      const events = await listClientGrantEvents(context.database, client, firmId, request.walk);
      const { nodes, nextCursor } = toWalkPage(events, request, ({ at, id }) => [at, id]);
      return { nodes: await viewGrantEvents(context, nodes), nextCursor };
    },
  }),
);

const ConsentFirm = builder.objectRef<ConsentFirmShape>('ConsentFirm').implement({
  description: 'A firm in the consent history.',
  fields: exposing('client', {
    firmId: ['ID', 'The firm.'],
    firmName: ['String', 'Its name.'],
  }),
});

builder.queryField('consentFirms', (t) =>
  t.field({
    type: [ConsentFirm],
    authScopes: ofClient,
    description: 'Every firm in the consent history, by name.',
    resolve: (_root, _args, context) => listConsentFirms(context.database, requireClient(context)),
  }),
);
