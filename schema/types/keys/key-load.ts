// Schema: what a key uses of its limit.
import type { Load as KeyLoadShape } from '#gateway/operations/usage.ts';
import { builder } from '../../builder.ts';

const ofFirm = { firm: true } as const;

export const KeyLoad = builder.objectRef<KeyLoadShape>('KeyLoad').implement({
  description: 'How much of its limit a key uses right now; looking counts nothing.',
  fields: (t) => ({
    limit: t.exposeInt('limit', { authScopes: ofFirm, description: 'Requests per 60 seconds.' }),
    used: t.exposeInt('used', { authScopes: ofFirm, description: 'Counted in the last 60 seconds.' }),
    remaining: t.exposeInt('remaining', { authScopes: ofFirm, description: 'What is left.' }),
    refused: t.exposeInt('refused', {
      authScopes: ofFirm,
      description: 'Refused by the limit in about the last 60 seconds.',
    }),
    near: t.exposeBoolean('near', { authScopes: ofFirm, description: 'At 80 % or more of the limit.' }),
  }),
});
