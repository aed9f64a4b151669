// Schema: monitoring and administration by operations.
import { makeToken } from '#auth/key-format.ts';
import { actorOf } from '#gateway/consent/actor.ts';
import { readTier } from '#gateway/consent/portal-arguments.ts';
import { batchLoad } from '#gateway/execution/batch-loaders.ts';
import { allUsage, firmLoad, type KeyUsage as KeyUsageShape, keyUsage, type Load } from '#gateway/operations/usage.ts';
import { createPlantToken } from '#repositories/admission/tokens.ts';
import { firmLimitChanges, setFirmLimit } from '#repositories/firms.ts';
import { setKeyTier } from '#repositories/keys/keys.ts';
import { type TierChange as TierChangeShape, tierChanges } from '#repositories/keys/limit-records.ts';
import { keyShadowChanges, setShadow } from '#repositories/keys/limit-shadows.ts';
import { builder, ofOperations } from '../../builder.ts';
import { exposed, exposing } from '../../exposed.ts';
import { firmIdentityField } from '../consent/firm-identity.ts';
import { FirmLimitChange } from '../keys/firm-limit-change.ts';
import { LIMIT_CHANGE, OCCASION_ARGS, REASON } from '../keys/limit-change.ts';
import { LOAD } from '../keys/load.ts';
import { ShadowChange } from './shadow.ts';

const TierChange = builder.objectRef<TierChangeShape>('TierChange').implement({
  description: "A change of a key's tier.",
  fields: exposing('operations', {
    ...LIMIT_CHANGE,
    ...REASON,
    tier: [
      'String?',
      "The new override; null: the firm's tier again, or, where one has ended, what was set without an end.",
    ],
  }),
});

const FirmUsage = builder.objectRef<Load>('FirmUsage').implement({
  description: 'How much of its limit a firm uses right now, with all its keys.',
  fields: exposing('operations', LOAD),
});

const KeyUsage = builder.objectRef<KeyUsageShape>('KeyUsage').implement({
  description: 'How much of its limit a key uses right now; looking counts nothing.',
  fields: (t) => ({
    ...exposed(t, 'operations', {
      keyId: ['ID'],
      firmId: ['ID'],
      firmName: ['String'],
      name: ['String'],
      environment: ['String'],
      tier: ['String'],
      tierOverride: ['String?', "The override; null where the key has its firm's tier (sandbox keys: Sandbox)."],
      tierOverrideEndsAt: ['Timestamp?', 'When the override ends by itself; null: when somebody lifts it.'],
      shadow: [
        'String?',
        'What puts its limit in shadow mode, in which requests over it are counted and let pass: key or tier; null: it refuses.',
      ],
      ...LOAD,
      wouldRefuse: ['Int', 'In shadow mode: over the limit in about the last 60 seconds, and let pass.'],
      firm: [FirmUsage, "The firm's limit for all its keys together; null where it has none.", { nullable: true }],
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
      description: 'Every time the key or one of its rotations was put in shadow mode or taken out, newest first.',
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
  description: 'A token, shown this once.',
  fields: exposing('administration', {
    id: ['ID'],
    token: ['String'],
  }),
});

builder.queryFields((t) => ({
  limits: t.field({
    type: [KeyUsage],
    authScopes: ofOperations,
    complexity: 50,
    description: 'Live use of every active key, most used first.',
    resolve: (_root, _args, { database, limiter }) => allUsage(database, limiter),
  }),
  limit: t.field({
    type: KeyUsage,
    authScopes: ofOperations,
    args: { keyId: t.arg.id({ required: true }) },
    resolve: (_root, { keyId }, { database, limiter }) => keyUsage(database, limiter, keyId),
  }),
  limiterState: t.string({
    authScopes: ofOperations,
    description: 'Where limits are kept: redis, local (Redis is away), recovering, or standalone (no Redis).',
    resolve: (_root, _args, { limiterState }) => limiterState(),
  }),
}));

builder.mutationFields((t) => ({
  setKeyTier: t.field({
    type: KeyUsage,
    authScopes: ofOperations,
    description: "Overrides one key's tier; null gives it its firm's again.",
    args: { keyId: t.arg.id({ required: true }), tier: t.arg.string(), ...OCCASION_ARGS },
    resolve: async (_root, { keyId, tier, reason, endsAt = null }, { database, limiter, principal }) => {
      const override = tier == null ? null : readTier(tier);
      await setKeyTier(database, keyId, { tier: override, reason, endsAt }, actorOf(principal));
      return keyUsage(database, limiter, keyId);
    },
  }),
  setKeyShadow: t.field({
    type: KeyUsage,
    authScopes: ofOperations,
    description:
      'Puts the limit of one key and its rotations in shadow mode, or ends that. It is also in it while its tier is.',
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
    type: FirmUsage,
    nullable: true,
    authScopes: ofOperations,
    description:
      'Limits all keys of a firm together, besides their own limits; without a number, no more. The limit now.',
    args: { firmId: t.arg.id({ required: true }), perMinute: t.arg.int(), ...OCCASION_ARGS },
    resolve: async (_root, { firmId, perMinute, reason, endsAt = null }, { database, limiter, principal }) => {
      const { requestLimit } = await setFirmLimit(
        database,
        firmId,
        { limit: perMinute ?? null, reason, endsAt },
        actorOf(principal),
      );
      return requestLimit === null ? null : firmLoad(limiter, firmId, requestLimit);
    },
  }),
  issuePlantToken: t.field({
    type: IssuedToken,
    authScopes: { administration: true },
    description: 'A new access token of a plant store account; the account comes into being with its first.',
    args: { account: t.arg.string({ required: true }), expiresAt: t.arg({ type: 'Timestamp' }) },
    resolve: async (_root, { account, expiresAt }, { database }) => {
      const { text, hash } = makeToken('plant');
      const { id } = await createPlantToken(database, { accountId: account, expiresAt: expiresAt ?? null, hash });
      return { id, token: text };
    },
  }),
}));
