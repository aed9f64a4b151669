// Schema: fields of every override of a limit: who, when, why, and until when.
import { builder } from '../../builder.ts';
import { Actor } from '../consent/actor.ts';

export const LIMIT_CHANGE = {
  at: ['Timestamp', 'When.'],
  actor: [Actor, 'Who did it.'],
  endsAt: ['Timestamp?', 'When it was to end by itself; null: when somebody ends it.'],
  ended: ['Boolean', 'It ended here by itself, and what was set before holds again.'],
} as const;

/** Visible to operations only. */
export const REASON = { reason: ['String?', 'Why; null where none was asked for yet.'] } as const;

export const OCCASION_ARGS = builder.args((t) => ({
  reason: t.string({ required: true, description: 'Why, in one line.' }),
  endsAt: t.field({ type: 'Timestamp', description: 'When it ends by itself; not given: when somebody ends it.' }),
}));
