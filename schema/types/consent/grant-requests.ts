// Schema: the transitions of a grant that firms make.
import { Refusal } from '#core/errors.ts';
import { actorOf, requireUser } from '#gateway/consent/actor.ts';
import { readFilter, readScopes } from '#gateway/consent/portal-arguments.ts';
import { findClient, requireVisibleToFirm } from '#repositories/grants/firm-visibility.ts';
import { requestGrant, withdrawGrant } from '#repositories/grants/grants.ts';
import { builder } from '../../builder.ts';
import { requireKey } from '../keys/key-list.ts';
import { Grant } from './grant.ts';
import { GrantFilterInput } from './grant-filter.ts';
import { seen } from './grant-list.ts';

const ofFirm = { firm: true } as const;

builder.mutationField('requestGrant', (t) =>
  t.field({
    type: Grant,
    authScopes: ofFirm,
    description: 'Asks a client for access. Items and collections can be named where the firm sees them already.',
    args: {
      keyId: t.arg.id({ required: true, description: 'A key of the firm that can be used.' }),
      client: t.arg.string({ required: true, description: "The client's user id, or exact e-mail address." }),
      scopes: t.arg.stringList({ required: true, description: 'Names of one or more scopes.' }),
      filter: t.arg({ type: GrantFilterInput, required: true, description: 'Which items.' }),
      expiresAt: t.arg({ type: 'Timestamp', description: 'When it ends by itself; not given: when revoked.' }),
      purpose: t.arg.string({ description: 'Up to 2000 characters; what the client reads.' }),
    },
    resolve: async (_root, { keyId, client, scopes, filter: items, expiresAt, purpose }, context) => {
      const { status, environment } = await requireKey(context, keyId);
      if (status !== 'active')
        throw new Refusal('invalid_transition', { message: `The key ${keyId} cannot be used: it is ${status}.` });
      const filter = readFilter(items);
      const clientId = await findClient(context.database, environment, client.trim());
      await requireVisibleToFirm(context.database, requireUser(context), clientId, filter);
      const terms = { scopes: readScopes(scopes), filter, expiresAt: expiresAt ?? null };
      const wish = { keyId, clientId, ...terms, purpose: purpose?.trim() || null };
      return seen(context, requestGrant(context.database, wish, actorOf(context.principal)));
    },
  }),
);

builder.mutationField('withdrawGrant', (t) =>
  t.field({
    type: Grant,
    authScopes: ofFirm,
    description: 'Takes a request back.',
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, context) => seen(context, withdrawGrant(context.database, id, actorOf(context.principal))),
  }),
);
