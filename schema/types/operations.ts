// Schema: what operations watch and administer.
import { makeToken } from '#auth/key-format.ts';
import { Refusal } from '#core/errors.ts';
import { TIERS, type Tier } from '#core/tiers.ts';
import { setKeyTier } from '#data/repositories/keys.ts';
import { createPlantToken } from '#data/repositories/tokens.ts';
import { allUsage, type KeyUsage as KeyUsageShape, keyUsage } from '#gateway/usage.ts';
import { builder } from '../builder.ts';

const KeyUsage = builder.objectRef<KeyUsageShape>('KeyUsage').implement({
  description: 'How much of its limit a key uses right now; looking counts nothing.',
  fields: (t) => ({
    keyId: t.expose('keyId', { type: 'ID', authScopes: { operations: true } }),
    firmId: t.expose('firmId', { type: 'ID', authScopes: { operations: true } }),
    name: t.exposeString('name', { authScopes: { operations: true } }),
    environment: t.exposeString('environment', { authScopes: { operations: true } }),
    tier: t.exposeString('tier', { authScopes: { operations: true } }),
    limit: t.exposeInt('limit', { authScopes: { operations: true }, description: 'Requests per 60 seconds.' }),
    used: t.exposeInt('used', { authScopes: { operations: true }, description: 'Counted in the last 60 seconds.' }),
    remaining: t.exposeInt('remaining', { authScopes: { operations: true } }),
    refused: t.exposeInt('refused', {
      authScopes: { operations: true },
      description: 'Refused in about the last 60 seconds.',
    }),
  }),
});

const IssuedToken = builder.objectRef<{ id: string; token: string }>('IssuedToken').implement({
  description: 'A token, shown this once.',
  fields: (t) => ({
    id: t.expose('id', { type: 'ID', authScopes: { administration: true } }),
    token: t.exposeString('token', { authScopes: { administration: true } }),
  }),
});

builder.queryField('limits', (t) =>
  t.field({
    type: [KeyUsage],
    authScopes: { operations: true },
    complexity: 50,
    description: 'Live use of every active key, most used first.',
    resolve: (_root, _args, { database, limiter }) => allUsage(database, limiter),
  }),
);

builder.queryField('limit', (t) =>
  t.field({
    type: KeyUsage,
    authScopes: { operations: true },
    args: { keyId: t.arg.id({ required: true }) },
    resolve: async (_root, { keyId }, { database, limiter }) => {
      const usage = await keyUsage(database, limiter, keyId);
      if (usage === null) throw new Refusal('resource_not_found');
      return usage;
    },
  }),
);

builder.queryField('limiterState', (t) =>
  t.string({
    authScopes: { operations: true },
    description: 'Where limits are kept: redis, local (Redis is away), recovering, or standalone (no Redis).',
    resolve: (_root, _args, { limiterState }) => limiterState(),
  }),
);

builder.mutationField('setKeyTier', (t) =>
  t.field({
    type: KeyUsage,
    authScopes: { operations: true },
    description: "Overrides one key's tier; null gives it its firm's again.",
    args: { keyId: t.arg.id({ required: true }), tier: t.arg.string() },
    resolve: async (_root, { keyId, tier }, { database, limiter, principal }) => {
      const known = tier === null || tier === undefined || (TIERS as readonly string[]).includes(tier);
      if (!known)
        throw new Refusal('invalid_parameter', { message: `A tier is one of ${TIERS.join(', ')}.`, param: 'tier' });
      const tool = principal.kind === 'service' ? principal.tokenId : principal.kind;
      await setKeyTier(database, keyId, (tier ?? null) as Tier | null, { kind: 'operator', id: tool });
      const usage = await keyUsage(database, limiter, keyId);
      if (usage === null) throw new Refusal('resource_not_found');
      return usage;
    },
  }),
);

builder.mutationField('issuePlantToken', (t) =>
  t.field({
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
);
