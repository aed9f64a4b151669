// Schema: a recorded change of a firm's limit.
import type { FirmLimitChange as FirmLimitChangeShape } from '#repositories/firms.ts';
import { builder } from '../../builder.ts';
import { exposed } from '../../exposed.ts';
import { LIMIT_CHANGE, REASON } from './limit-change.ts';

export const FirmLimitChange = builder.objectRef<FirmLimitChangeShape>('FirmLimitChange').implement({
  description: 'A change of the limit of all keys of a firm together.',
  fields: (t) => ({
    ...exposed(t, 'operations', REASON),
    ...exposed(t, 'inside', {
      ...LIMIT_CHANGE,
      limit: [
        'Int?',
        'New limit in requests per 60 seconds; null if it was removed, or if a limit has ended and the one set without an end applies again.',
      ],
    }),
  }),
});
