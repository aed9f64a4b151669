// Schema: fields of every override of a limit: who, when, why, and until when.
import { MAX_REASON } from '#core/text-lengths.ts';
import { builder } from '../../builder.ts';
import { Actor } from '../consent/actor.ts';

export const LIMIT_CHANGE = {
  at: ['Timestamp', 'When.'],
  actor: [Actor, 'Who did it.'],
  endsAt: ['Timestamp?', 'When it was to end by itself; null if it was to be ended by an operator.'],
  ended: ['Boolean', 'Whether this is an end that came by itself, after which the earlier setting applies again.'],
  reason: ['String?', 'The reason; null for changes from before reasons were required.'],
} as const;

export const OCCASION_ARGS = builder.args((t) => ({
  reason: t.string({ required: true, description: `The reason, in one line of 1 to ${MAX_REASON} characters.` }),
  endsAt: t.field({
    type: 'Timestamp',
    description: 'When it ends by itself; if not given, it lasts until an operator ends it.',
  }),
}));
