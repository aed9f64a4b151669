// Schema: a change of a firm's limit, as its record has it.
import type { FirmLimitChange as FirmLimitChangeShape } from '#repositories/firms.ts';
import { builder } from '../../builder.ts';
import { limitChangeFields } from './limit-change.ts';

export const FirmLimitChange = builder.objectRef<FirmLimitChangeShape>('FirmLimitChange').implement({
  description: 'A change of the limit of all keys of a firm together.',
  fields: (t) => ({
    ...limitChangeFields(t, { inside: true }),
    limit: t.exposeInt('limit', {
      nullable: true,
      authScopes: { inside: true },
      description:
        'Requests in any 60 seconds from then on; null: no limit, or, where one has ended, what was set without an end.',
    }),
  }),
});
