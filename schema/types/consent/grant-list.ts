// Schema: queries for grants, of a firm or of the client.

import { refuse } from '#core/errors.ts';
import { GRANT_STATES } from '#core/grant-lifecycle.ts';
import { EXPIRING_DAYS } from '#core/periods.ts';
import { actorOf } from '#gateway/consent/actor.ts';
import { type GrantView, viewGrants } from '#gateway/consent/grant-view.ts';
import { oneOf, readSearch } from '#gateway/consent/portal-arguments.ts';
import type { Context } from '#gateway/execution/context.ts';
import { readWalk, toWalkPage, type WalkPage } from '#gateway/paging/keyset-pagination.ts';
import { BY_TIME } from '#gateway/paging/paging.ts';
import {
  countGrants,
  findNamedGrant,
  type GrantCounts as GrantCountsShape,
  type Grant as GrantRecord,
  listNamedGrants,
} from '#repositories/grants/grant-queries.ts';
import { markExpired } from '#repositories/grants/grants.ts';
import { builder, ofConsent } from '../../builder.ts';
import { exposing } from '../../exposed.ts';
import { NEXT_CURSOR, WALK_ARGS } from '../portfolio/page.ts';
import { Grant } from './grant.ts';

/** Throws Refusal `resource_not_found` for an unknown grant, and for one that the caller may not access. */
async function requireGrant(context: Context, id: string): Promise<GrantView> {
  const grant = await findNamedGrant(context.database, actorOf(context.principal), id);
  if (grant === null) refuse('resource_not_found', `There is no grant ${id}.`);
  const [view] = await viewGrants(context, [grant]);
  return view as GrantView;
}

/** The grant after a transition, as its actor may see it. */
export async function viewAfter(context: Context, transition: Promise<GrantRecord>): Promise<GrantView> {
  return requireGrant(context, (await transition).id);
}

const GrantConnection = builder.objectRef<WalkPage<GrantView> & { totalItems: number }>('GrantConnection').implement({
  description: 'A page of grants, newest first.',
  fields: exposing('consent', {
    nodes: [[Grant], 'The grants of the page.'],
    ...NEXT_CURSOR,
    totalItems: ['Int', 'Number of grants in the whole list.'],
  }),
});

const GrantCounts = builder.objectRef<GrantCountsShape>('GrantCounts').implement({
  description: 'Numbers of grants by status.',
  fields: exposing('consent', {
    pending: ['Int', 'Pending requests.'],
    active: ['Int', 'Active grants.'],
    expiringSoon: ['Int', `Active grants that expire within ${EXPIRING_DAYS} days.`],
    ended: ['Int', 'Declined, withdrawn, revoked and expired grants.'],
  }),
});

builder.queryFields((t) => ({
  grants: t.field({
    type: GrantConnection,
    authScopes: ofConsent,
    description: "A firm's grants, or a client's own.",
    args: {
      status: t.arg.stringList({ description: 'Only grants in one of these states.' }),
      keyId: t.arg.id({ description: "Only grants to this key's lineage." }),
      firmId: t.arg.id({ description: 'Only grants to this firm.' }),
      clientId: t.arg.id({ description: 'Only grants of this client, as far as the caller may know the client.' }),
      search: t.arg.string({
        description: "Part of the client's name or e-mail address, or of the firm's or key's name.",
      }),
      expiringSoon: t.arg.boolean({ description: `Only active grants that expire within ${EXPIRING_DAYS} days.` }),
      ...WALK_ARGS,
    },
    resolve: async (_root, args, context) => {
      const { database, principal } = context;
      const query = {
        status: args.status?.map((state) => oneOf('status', GRANT_STATES, state)) ?? null,
        keyId: args.keyId ?? null,
        firmId: args.firmId ?? null,
        clientId: args.clientId ?? null,
        search: readSearch(args.search),
        expiringSoon: args.expiringSoon ?? false,
      };
      const request = readWalk(args, { list: 'grants', query, keys: BY_TIME }, context);
      const { grants, total } = await listNamedGrants(database, actorOf(principal), query, request.walk);
      const { nodes, nextCursor } = toWalkPage(grants, request, ({ createdAt, id }) => [createdAt, id]);
      return { nodes: await viewGrants(context, nodes), nextCursor, totalItems: total };
    },
  }),
  grant: t.field({
    type: Grant,
    authScopes: ofConsent,
    description: 'One grant of the firm, or of the client.',
    args: { id: t.arg.id({ required: true }) },
    resolve: async (_root, { id }, context) => {
      const grant = await requireGrant(context, id);
      // Records the expiry now, in case background maintenance has not yet, so that it is among the grant's events.
      if (grant.status === 'expired') await markExpired(context.database, { clientId: grant.clientId });
      return requireGrant(context, id);
    },
  }),
  grantCounts: t.field({
    type: GrantCounts,
    authScopes: ofConsent,
    description: "Numbers of the firm's grants, or of the client's.",
    resolve: (_root, _args, { database, principal }) => countGrants(database, actorOf(principal)),
  }),
}));
