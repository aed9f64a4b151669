// Schema: the present use of a limit, visible to the firm for its own limits and to operations for all.
import { NEAR_PERCENT } from '#core/near-limit.ts';
import type { Load } from '#gateway/operations/usage.ts';
import { builder } from '../../builder.ts';
import { exposing } from '../../exposed.ts';

export const LIMIT_USAGE = {
  limit: ['Int', 'Requests in any 60 seconds.'],
  used: ['Int', 'Requests counted in the last 60 seconds.'],
  remaining: ['Int', 'Requests left.'],
  refused: ['Int', 'Requests refused by the limit in about the last 60 seconds.'],
  near: ['Boolean', `Whether ${NEAR_PERCENT} % or more of the limit is used.`],
} as const;

export const LimitUsage = builder.objectRef<Load>('LimitUsage').implement({
  description:
    'The present use of the limit of a key, or of all keys of a firm together. Reading it does not count as a request.',
  fields: exposing('inside', LIMIT_USAGE),
});
