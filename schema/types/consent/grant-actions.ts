// Schema: transitions of a grant made by clients.
import { actorOf, requireClient } from '#gateway/consent/actor.ts';
import { NEW_ID, readFilter, readScopes, readTerms } from '#gateway/consent/portal-arguments.ts';
import {
  approveGrant,
  changeGrant,
  declineGrant,
  grantWithoutRequest,
  revokeGrant,
  stopFirm,
} from '#repositories/grants/grants.ts';
import { requireKeySummary } from '#repositories/keys/key-summaries.ts';
import { builder, ofClient } from '../../builder.ts';
import { Grant } from './grant.ts';
import { GrantFilterInput } from './grant-filter.ts';
import { viewAfter } from './grant-list.ts';

const SCOPES = 'Names of one or more scopes.';
const FILTER = 'Which items.';
const EXPIRY = 'When it expires; if not given, it is valid until revoked.';

builder.mutationFields((t) => ({
  approveGrant: t.field({
    type: Grant,
    authScopes: ofClient,
    description: 'Approves a request, possibly with narrower terms. Terms that are not given stay as requested.',
    args: {
      id: t.arg.id({ required: true }),
      scopes: t.arg.stringList({ description: SCOPES }),
      filter: t.arg({ type: GrantFilterInput, description: FILTER }),
      expiresAt: t.arg({ type: 'Timestamp', description: 'When it expires.' }),
    },
    resolve: (_root, { id, ...terms }, context) =>
      viewAfter(context, approveGrant(context.database, id, readTerms(terms), actorOf(context.principal))),
  }),
  declineGrant: t.field({
    type: Grant,
    authScopes: ofClient,
    description: 'Declines a request.',
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, context) =>
      viewAfter(context, declineGrant(context.database, id, actorOf(context.principal))),
  }),
  changeGrant: t.field({
    type: Grant,
    authScopes: ofClient,
    description: 'Changes an active grant. Terms that are not given stay unchanged.',
    args: {
      id: t.arg.id({ required: true }),
      scopes: t.arg.stringList({ description: SCOPES }),
      filter: t.arg({ type: GrantFilterInput, description: FILTER }),
      expiresAt: t.arg({ type: 'Timestamp', description: 'When it expires.' }),
      noExpiry: t.arg.boolean({ description: 'Whether to remove the expiry.' }),
      basedOn: t.arg.id({
        description:
          'The `lastEventId` of the grant on which the change is based. If there is a later event, the change is refused with `invalid_transition`. Without it there is no such check.',
      }),
    },
    resolve: (_root, { id, noExpiry, basedOn, ...terms }, context) => {
      const expiry = noExpiry === true ? { expiresAt: null } : {};
      const wanted = { ...readTerms(terms), ...expiry };
      const actor = actorOf(context.principal);
      return viewAfter(
        context,
        context.database.transaction((sql) => changeGrant(sql, id, wanted, actor, basedOn ?? null)),
      );
    },
  }),
  revokeGrant: t.field({
    type: Grant,
    authScopes: ofClient,
    description: 'Revokes a grant, at once and for good.',
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, context) =>
      viewAfter(context, revokeGrant(context.database, id, actorOf(context.principal))),
  }),
  stopFirm: t.field({
    type: 'Int',
    authScopes: ofClient,
    description: 'Revokes all grants to a firm and declines its requests, at once. Returns how many.',
    args: { firmId: t.arg.id({ required: true }) },
    resolve: (_root, { firmId }, context) => {
      const clientId = requireClient(context);
      return stopFirm(context.database, { clientId, firmId }, actorOf(context.principal));
    },
  }),
  giveGrant: t.field({
    type: Grant,
    authScopes: ofClient,
    description: 'Gives a firm a grant without a request.',
    args: {
      id: t.arg.id({ description: NEW_ID }),
      keyId: t.arg.id({ required: true, description: 'See `keySummary`.' }),
      scopes: t.arg.stringList({ required: true, description: SCOPES }),
      filter: t.arg({ type: GrantFilterInput, required: true, description: FILTER }),
      expiresAt: t.arg({ type: 'Timestamp', description: EXPIRY }),
    },
    resolve: async (_root, { id, keyId, scopes, filter, expiresAt }, context) => {
      const clientId = requireClient(context);
      await requireKeySummary(context.database, clientId, keyId);
      const terms = { scopes: readScopes(scopes), filter: readFilter(filter), expiresAt: expiresAt ?? null };
      const grant = { id: id ?? undefined, keyId, clientId, ...terms };
      return viewAfter(context, grantWithoutRequest(context.database, grant, actorOf(context.principal)));
    },
  }),
}));
