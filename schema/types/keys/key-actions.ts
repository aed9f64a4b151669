// Schema: actions on keys by a firm's administrators and developers.
import { makeKeySecret } from '#auth/key-format.ts';
import { ENVIRONMENTS } from '#core/principal.ts';
import { MAX_NAME, MAX_NOTE } from '#core/text-lengths.ts';
import { actorOf, requireFirm } from '#gateway/consent/actor.ts';
import { NEW_ID, oneOf, readScopes } from '#gateway/consent/portal-arguments.ts';
import type { FirmKey } from '#repositories/keys/key-queries.ts';
import { changeKey } from '#repositories/keys/key-settings.ts';
import { createKey, revokeKey, rotateKey } from '#repositories/keys/keys.ts';
import { builder, ofDeveloper } from '../../builder.ts';
import { exposing } from '../../exposed.ts';
import { ApiKey } from './key.ts';
import { requireKey } from './key-list.ts';

const NAME = `1 to ${MAX_NAME} characters.`;
const NOTE = `Up to ${MAX_NOTE} characters, visible to the firm's own members; empty for none.`;
const NETWORKS = 'Addresses and CIDR ranges from which it may be used; empty for anywhere.';

interface IssuedKeyShape {
  key: FirmKey;
  predecessor: FirmKey | null;
  secret: string;
}

const IssuedKey = builder.objectRef<IssuedKeyShape>('IssuedKey').implement({
  description: 'A new key with its secret, which is shown only once.',
  fields: exposing('firm', {
    key: [ApiKey, 'The new key.'],
    secret: ['String', '`sk_…`; not stored anywhere.'],
    predecessor: [ApiKey, 'The predecessor of a rotated key; null for a created one.', { nullable: true }],
  }),
});

builder.mutationFields((t) => ({
  createKey: t.field({
    type: IssuedKey,
    authScopes: ofDeveloper,
    description: 'Creates a key of the firm, which needs an active enterprise plan and fewer keys than the maximum.',
    args: {
      id: t.arg.id({ description: NEW_ID }),
      name: t.arg.string({ required: true, description: NAME }),
      environment: t.arg.string({ required: true, description: 'sandbox or production.' }),
      scopes: t.arg.stringList({ required: true, description: 'Names of one or more scopes.' }),
      expiresAt: t.arg({
        type: 'Timestamp',
        description: 'When it expires; if not given never, or refused where MAX_KEY_LIFETIME_DAYS is set.',
      }),
      note: t.arg.string({ description: NOTE }),
      allowedNetworks: t.arg.stringList({ description: NETWORKS }),
    },
    resolve: async (_root, { id: wantedId, environment: wanted, scopes: names, ...given }, context) => {
      const environment = oneOf('environment', ENVIRONMENTS, wanted);
      const scopes = readScopes(names);
      const { text, ...secret } = makeKeySecret(environment);
      const firmId = requireFirm(context);
      const wish = {
        id: wantedId ?? undefined,
        firmId,
        name: given.name,
        environment,
        scopes,
        expiresAt: given.expiresAt ?? null,
        note: given.note,
        allowedNetworks: given.allowedNetworks ?? [],
        secret,
      };
      const { id } = await createKey(context.database, wish, actorOf(context.principal), context.keyBounds);
      return { key: await requireKey(context, id), predecessor: null, secret: text };
    },
  }),
  rotateKey: t.field({
    type: IssuedKey,
    authScopes: ofDeveloper,
    description: 'A successor with the same settings, grants and rate limit.',
    args: {
      id: t.arg.id({ required: true }),
      overlapSeconds: t.arg.int({
        description:
          'How long both work, in seconds from 0 to 86400; 3600 by default. Must be 0 if the firm has the maximum number of keys.',
      }),
    },
    resolve: async (_root, { id, overlapSeconds }, context) => {
      const { environment } = await requireKey(context, id);
      const { text, ...secret } = makeKeySecret(environment);
      const overlapMs = typeof overlapSeconds === 'number' ? overlapSeconds * 1000 : undefined;
      const { database, principal, keyBounds } = context;
      const rotation = { secret, overlapMs };
      const { successor } = await rotateKey(database, id, rotation, actorOf(principal), keyBounds);
      const [key, predecessor] = await Promise.all([requireKey(context, successor.id), requireKey(context, id)]);
      return { key, predecessor, secret: text };
    },
  }),
  changeKey: t.field({
    type: ApiKey,
    authScopes: ofDeveloper,
    description:
      'Changes a key, at once on every gateway. What is not given stays unchanged. Expiry and networks can only be changed while the key is active.',
    args: {
      id: t.arg.id({ required: true }),
      name: t.arg.string({ description: NAME }),
      note: t.arg.string({ description: NOTE }),
      expiresAt: t.arg({ type: 'Timestamp', description: 'When it expires.' }),
      noExpiry: t.arg.boolean({ description: 'Whether to remove the expiry.' }),
      allowedNetworks: t.arg.stringList({ description: NETWORKS }),
      networksBefore: t.arg.stringList({
        description:
          'The networks of the key on which the list is based. If they have changed, the request is refused with `invalid_transition`. Without it there is no such check.',
      }),
    },
    resolve: async (_root, { id, name, note, expiresAt, noExpiry, allowedNetworks, networksBefore }, context) => {
      const changes = {
        name: name ?? undefined,
        note: note ?? undefined,
        expiresAt: noExpiry === true ? null : (expiresAt ?? undefined),
        allowedNetworks: allowedNetworks ?? undefined,
        networksBefore: networksBefore ?? undefined,
      };
      const { database, principal, keyBounds } = context;
      await changeKey(database, id, changes, actorOf(principal), keyBounds);
      return requireKey(context, id);
    },
  }),
  revokeKey: t.field({
    type: ApiKey,
    authScopes: ofDeveloper,
    description: 'Revokes a key, at once and for good.',
    args: { id: t.arg.id({ required: true }) },
    resolve: async (_root, { id }, context) => {
      await revokeKey(context.database, id, actorOf(context.principal));
      return requireKey(context, id);
    },
  }),
}));
