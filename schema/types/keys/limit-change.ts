// Schema: what every override of a limit has: who, when, why, and until when.
import type { LimitChange } from '#repositories/limit-changes.ts';
import { builder, type FieldBuilder } from '../../builder.ts';
import { Actor } from '../consent/actor.ts';

type Viewers = { inside: true } | { operations: true };

/** Why something was done is for operations alone. */
export function limitChangeFields<Shape extends LimitChange>(t: FieldBuilder<Shape>, authScopes: Viewers) {
  return {
    at: t.field({ type: 'Timestamp', authScopes, description: 'When.', resolve: ({ at }) => at }),
    actor: t.field({ type: Actor, authScopes, description: 'Who did it.', resolve: ({ actor }) => actor }),
    endsAt: t.field({
      type: 'Timestamp',
      nullable: true,
      authScopes,
      description: 'When it was to end by itself; null: when somebody ends it.',
      resolve: ({ endsAt }) => endsAt,
    }),
    ended: t.boolean({
      authScopes,
      description: 'It ended here by itself, and what was set before holds again.',
      resolve: ({ ended }) => ended,
    }),
    reason: t.string({
      nullable: true,
      authScopes: { operations: true },
      description: 'Why; null where none was asked for yet.',
      resolve: ({ reason }) => reason,
    }),
  };
}

export const OCCASION_ARGS = builder.args((t) => ({
  reason: t.string({ required: true, description: 'Why, in one line.' }),
  endsAt: t.field({ type: 'Timestamp', description: 'When it ends by itself; not given: when somebody ends it.' }),
}));
