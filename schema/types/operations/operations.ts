// Schema: monitoring and administration by operations.
import { makeToken } from '#auth/key-format.ts';
import { refuseParameter } from '#core/errors.ts';
import { getOrInsert } from '#core/get-or-insert.ts';
import { LASTING, TIERS } from '#core/tiers.ts';
import { actorOf } from '#gateway/consent/actor.ts';
import { oneOf } from '#gateway/consent/portal-arguments.ts';
import { batchLoad } from '#gateway/execution/batch-loaders.ts';
import type { Context } from '#gateway/execution/context.ts';
import { allUsage, firmLoad, type KeyUsage as KeyUsageShape, keyUsage } from '#gateway/operations/usage.ts';
import { MAX_PAGE_SIZE } from '#gateway/paging/paging.ts';
import { createToken } from '#repositories/admission/tokens.ts';
import { type FirmLimitChange as FirmLimitChangeShape, firmLimitChanges, setFirmLimit } from '#repositories/firms.ts';
import { setKeyTier } from '#repositories/keys/keys.ts';
import { type TierChange as TierChangeShape, tierChanges } from '#repositories/keys/limit-records.ts';
import { keyShadowChanges, setShadow } from '#repositories/keys/limit-shadows.ts';
import { builder, ofOperations } from '../../builder.ts';
import { exposed, exposing } from '../../exposed.ts';
import { firmIdentityField } from '../consent/firm-identity.ts';
import { LIMIT_CHANGE, OCCASION_ARGS } from '../keys/limit-change.ts';
import { LIMIT_USAGE, LimitUsage } from '../keys/limit-usage.ts';
import { ShadowChange } from './shadow.ts';

const TierChange = builder.objectRef<TierChangeShape>('TierChange').implement({
  description: "A change of a key's tier.",
  fields: exposing('operations', {
    ...LIMIT_CHANGE,
    tier: [
      'String?',
      "The new override; null for the firm's tier, or, if an override has ended, for the one set without an end.",
    ],
  }),
});

const FirmLimitChange = builder.objectRef<FirmLimitChangeShape>('FirmLimitChange').implement({
  description: 'A change of the limit of all keys of a firm together.',
  fields: exposing('operations', {
    ...LIMIT_CHANGE,
    limit: [
      'Int?',
      'New limit in requests per 60 seconds; null if it was removed, or if a limit has ended and the one set without an end applies again.',
    ],
  }),
});

const KeyUsage = builder.objectRef<KeyUsageShape>('KeyUsage').implement({
  description: "The present use of a key's limit. Reading it does not count as a request.",
  fields: (t) => ({
    ...exposed(t, 'operations', {
      keyId: ['ID'],
      firmId: ['ID'],
      firmName: ['String'],
      name: ['String'],
      environment: ['String'],
      tier: ['String'],
      tierOverride: ['String?', "The override; null if the key has its firm's tier (or Sandbox, for sandbox keys)."],
      tierOverrideEndsAt: [
        'Timestamp?',
        'When the override ends by itself; null if it lasts until an operator removes it.',
      ],
      shadow: [
        'String?',
        'Why its limit is in shadow mode, in which requests over the limit are counted and let pass: key or tier. Null if the limit is enforced.',
      ],
      ...LIMIT_USAGE,
      wouldRefuse: ['Int', 'Requests over the limit in about the last 60 seconds that shadow mode let pass.'],
      firm: [LimitUsage, "The firm's limit for all its keys together; null if there is none.", { nullable: true }],
    }),
    firmIdentity: firmIdentityField(t, ofOperations),
    tierHistory: t.field({
      type: [TierChange],
      authScopes: ofOperations,
      description: "Every change of the key's tier, newest first.",
      resolve: async ({ keyId }, _args, context) => (await batchLoad(context, tierChanges, keyId)) ?? [],
    }),
    shadowHistory: t.field({
      type: [ShadowChange],
      authScopes: ofOperations,
      description: 'All changes of shadow mode of the key and its rotations, newest first.',
      resolve: async ({ keyId }, _args, context) => (await batchLoad(context, keyShadowChanges, keyId)) ?? [],
    }),
    firmLimitHistory: t.field({
      type: [FirmLimitChange],
      authScopes: ofOperations,
      description: "Every change of the firm's limit, newest first.",
      resolve: async ({ firmId }, _args, context) => (await batchLoad(context, firmLimitChanges, firmId)) ?? [],
    }),
  }),
});

const IssuedToken = builder.objectRef<{ id: string; token: string }>('IssuedToken').implement({
  description: 'A token, which is shown only once.',
  fields: exposing('administration', {
    id: ['ID'],
    token: ['String'],
  }),
});

/** Of each request, since reading all keys asks the limiter for each of them, and an operation may name the list often. */
const readings = new WeakMap<Context, Promise<KeyUsageShape[]>>();

builder.queryFields((t) => ({
  limits: t.field({
    type: [KeyUsage],
    authScopes: ofOperations,
    extensions: { cost: 50, multiplier: MAX_PAGE_SIZE },
    description: 'The present use of all active keys, most used first.',
    resolve: (_root, _args, context) =>
      getOrInsert(readings, context, () => allUsage(context.database, context.limiter)),
  }),
  limit: t.field({
    type: KeyUsage,
    authScopes: ofOperations,
    args: { keyId: t.arg.id({ required: true }) },
    resolve: (_root, { keyId }, { database, limiter }) => keyUsage(database, limiter, keyId),
  }),
  limiterState: t.string({
    authScopes: ofOperations,
    description: 'Where limits are counted: redis, local (Redis is unavailable), recovering, or standalone (no Redis).',
    resolve: (_root, _args, { limiterState }) => limiterState(),
  }),
}));

builder.mutationFields((t) => ({
  setKeyTier: t.field({
    type: KeyUsage,
    authScopes: ofOperations,
    description:
      'Overrides the tier of one key and its rotations; null removes the override, "lasting" only one that expires.',
    args: { keyId: t.arg.id({ required: true }), tier: t.arg.string(), ...OCCASION_ARGS },
    resolve: async (_root, { keyId, tier, reason, endsAt = null }, { database, limiter, principal }) => {
      const override = tier == null ? null : oneOf('tier', [...TIERS, LASTING], tier);
      await setKeyTier(database, keyId, { tier: override, reason, endsAt }, actorOf(principal));
      return keyUsage(database, limiter, keyId);
    },
  }),
  setKeyShadow: t.field({
    type: KeyUsage,
    authScopes: ofOperations,
    description:
      'Sets or ends shadow mode for the limit of one key and its rotations. The limit is also in shadow mode while its tier is.',
    args: {
      keyId: t.arg.id({ required: true }),
      shadowed: t.arg.boolean({ required: true }),
      ...OCCASION_ARGS,
    },
    resolve: async (_root, { keyId, shadowed, reason, endsAt = null }, { database, limiter, principal }) => {
      await setShadow(database, { keyId }, { shadowed, reason, endsAt }, actorOf(principal));
      return keyUsage(database, limiter, keyId);
    },
  }),
  setFirmLimit: t.field({
    type: LimitUsage,
    nullable: true,
    authScopes: ofOperations,
    description:
      'Limits all keys of a firm together, in addition to their own limits; null removes the limit. Returns the effective limit.',
    args: {
      firmId: t.arg.id({ required: true }),
      perMinute: t.arg.int(),
      lasting: t.arg.boolean({
        description: 'Removes only a limit that expires, so that the one set without an expiry applies again.',
      }),
      ...OCCASION_ARGS,
    },
    resolve: async (_root, { firmId, perMinute, lasting, reason, endsAt = null }, { database, limiter, principal }) => {
      if (lasting === true && perMinute != null) refuseParameter('perMinute', 'Give either perMinute or lasting.');
      const limit = lasting === true ? LASTING : (perMinute ?? null);
      const { requestLimit } = await setFirmLimit(database, firmId, { limit, reason, endsAt }, actorOf(principal));
      return requestLimit === null ? null : firmLoad(limiter, firmId, requestLimit);
    },
  }),
  issuePlantToken: t.field({
    type: IssuedToken,
    authScopes: { administration: true },
    description: 'Creates an access token of a plant store account. The account is created with its first token.',
    args: { account: t.arg.string({ required: true }), expiresAt: t.arg({ type: 'Timestamp' }) },
    resolve: async (_root, { account, expiresAt }, { database }) => {
      const { text, hash } = makeToken('plant');
      const { id } = await createToken(database, 'plant', { holder: account, expiresAt: expiresAt ?? null, hash });
      return { id, token: text };
    },
  }),
}));
