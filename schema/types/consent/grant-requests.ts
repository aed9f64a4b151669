// Schema: transitions of a grant made by firms.
import { refuse } from '#core/errors.ts';
import { MAX_PURPOSE } from '#core/text-lengths.ts';
import { actorOf, requireFirm } from '#gateway/consent/actor.ts';
import { limitRequests } from '#gateway/consent/allowances.ts';
import { NEW_ID, readFilter, readScopes } from '#gateway/consent/portal-arguments.ts';
import { requestGrant, withdrawGrant } from '#repositories/grants/grants.ts';
import { findTestClient } from '#repositories/sandbox/test-clients.ts';
import { builder, ofDeveloper } from '../../builder.ts';
import { requireKey } from '../keys/key-list.ts';
import { Grant } from './grant.ts';
import { GrantFilterInput } from './grant-filter.ts';
import { viewAfter } from './grant-list.ts';

builder.mutationFields((t) => ({
  requestGrant: t.field({
    type: Grant,
    authScopes: ofDeveloper,
    description:
      'Requests access from a client. The response is the same whether or not the client exists: the firm learns who the client is with the approval. It can name only items and collections that it already sees.',
    args: {
      id: t.arg.id({ description: NEW_ID }),
      keyId: t.arg.id({ required: true, description: 'A key of the firm that can be used.' }),
      client: t.arg.string({
        required: true,
        description: "The client's user id or e-mail address, of the key's environment.",
      }),
      scopes: t.arg.stringList({ required: true, description: 'Names of one or more scopes.' }),
      filter: t.arg({ type: GrantFilterInput, required: true, description: 'Which items.' }),
      expiresAt: t.arg({
        type: 'Timestamp',
        description: 'When the grant expires; if not given, it is valid until revoked.',
      }),
      purpose: t.arg.string({ description: `Up to ${MAX_PURPOSE} characters, shown to the client.` }),
    },
    resolve: async (_root, { id, keyId, client, scopes, filter: items, expiresAt, purpose }, context) => {
      const { status } = await requireKey(context, keyId);
      if (status !== 'active') refuse('invalid_transition', `The key ${keyId} cannot be used: it is ${status}.`);
      const terms = { scopes: readScopes(scopes), filter: readFilter(items), expiresAt: expiresAt ?? null };
      const wish = { id: id ?? undefined, keyId, client, ...terms, purpose: purpose?.trim() || null };
      const firmId = requireFirm(context);
      // Requests to the firm's own test clients reach no person, so they are not limited.
      const ownTest = await findTestClient(context.database, firmId, client.trim());
      if (ownTest === null) await limitRequests(context.database, firmId, client);
      return viewAfter(context, requestGrant(context.database, wish, actorOf(context.principal)));
    },
  }),
  withdrawGrant: t.field({
    type: Grant,
    authScopes: ofDeveloper,
    description: 'Withdraws a request.',
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, context) =>
      viewAfter(context, withdrawGrant(context.database, id, actorOf(context.principal))),
  }),
}));
