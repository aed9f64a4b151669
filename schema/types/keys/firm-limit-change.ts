// Schema: a change of a firm's limit, as its record has it.
import type { FirmLimitChange as FirmLimitChangeShape } from '#repositories/firms.ts';
import { builder } from '../../builder.ts';
import { Actor } from '../consent/actor.ts';

export const FirmLimitChange = builder.objectRef<FirmLimitChangeShape>('FirmLimitChange').implement({
  description: 'A change of the limit of all keys of a firm together.',
  fields: (t) => ({
    at: t.expose('at', { type: 'Timestamp', authScopes: { inside: true }, description: 'When.' }),
    actor: t.expose('actor', { type: Actor, authScopes: { inside: true }, description: 'Who changed it.' }),
    limit: t.exposeInt('limit', {
      nullable: true,
      authScopes: { inside: true },
      description: 'Requests in any 60 seconds from then on; null: no limit.',
    }),
  }),
});
