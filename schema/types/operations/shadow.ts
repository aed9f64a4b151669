// Schema: limits in shadow mode, which count and report but do not refuse.
import { TIERS } from '#core/tiers.ts';
import { actorOf } from '#gateway/consent/actor.ts';
import { oneOf } from '#gateway/consent/portal-arguments.ts';
import {
  type ShadowChange as ShadowChangeShape,
  setShadow,
  type TierShadow as TierShadowShape,
  tierShadows,
} from '#repositories/keys/limit-shadows.ts';
import { builder, ofOperations } from '../../builder.ts';
import { exposing } from '../../exposed.ts';
import { LIMIT_CHANGE, OCCASION_ARGS } from '../keys/limit-change.ts';

export const ShadowChange = builder.objectRef<ShadowChangeShape>('ShadowChange').implement({
  description: "A change of a limit's shadow mode.",
  fields: exposing('operations', {
    shadowed: [
      'Boolean?',
      'Whether it is in shadow mode afterwards; null if a change has ended and the one before it applies again.',
    ],
    ...LIMIT_CHANGE,
  }),
});

const TierShadow = builder.objectRef<TierShadowShape>('TierShadow').implement({
  description: 'Whether the limits of all keys of a tier are in shadow mode.',
  fields: exposing('operations', {
    tier: ['String'],
    shadowed: [
      'Boolean',
      'Whether requests over the limit of a key of this tier are counted and reported, but let pass.',
    ],
    endsAt: ['Timestamp?', 'When shadow mode ends by itself; null if it lasts until an operator ends it.'],
    history: [[ShadowChange], 'Every change, newest first.'],
  }),
});

builder.queryField('tierShadows', (t) =>
  t.field({
    type: [TierShadow],
    authScopes: ofOperations,
    description: 'Every tier, and whether its limits are in shadow mode.',
    resolve: (_root, _args, { database }) => tierShadows(database),
  }),
);

builder.mutationField('setTierShadow', (t) =>
  t.field({
    type: TierShadow,
    authScopes: ofOperations,
    description: 'Sets or ends shadow mode for the limits of all keys of a tier.',
    args: {
      tier: t.arg.string({ required: true }),
      shadowed: t.arg.boolean({ required: true }),
      ...OCCASION_ARGS,
    },
    resolve: async (_root, { tier, shadowed, reason, endsAt = null }, { database, principal }) => {
      const known = oneOf('tier', TIERS, tier);
      await setShadow(database, { tier: known }, { shadowed, reason, endsAt }, actorOf(principal));
      return (await tierShadows(database)).find((one) => one.tier === known) as TierShadowShape;
    },
  }),
);
