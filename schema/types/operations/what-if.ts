// Schema: what another tier would have meant.
import { readTier } from '#gateway/consent/portal-arguments.ts';
import { type WhatIfKey as WhatIfKeyShape, type WhatIf as WhatIfShape, whatIf } from '#gateway/operations/what-if.ts';
import { builder, ofOperations } from '../../builder.ts';

const WhatIfKey = builder.objectRef<WhatIfKeyShape>('WhatIfKey').implement({
  description: 'What another tier would have meant for a key and those it was rotated from.',
  fields: (t) => ({
    keyId: t.expose('keyId', { type: 'ID', authScopes: ofOperations, description: 'The newest key of the chain.' }),
    name: t.exposeString('name', { authScopes: ofOperations, description: 'Its name.' }),
    environment: t.exposeString('environment', { authScopes: ofOperations, description: 'sandbox or production.' }),
    firmId: t.expose('firmId', { type: 'ID', authScopes: ofOperations, description: 'The firm whose key it is.' }),
    firmName: t.exposeString('firmName', { authScopes: ofOperations, description: 'Its name.' }),
    tier: t.exposeString('tier', { authScopes: ofOperations, description: 'Its tier now.' }),
    requests: t.exposeInt('requests', { authScopes: ofOperations, description: 'Calls on record.' }),
    refused: t.exposeInt('refused', { authScopes: ofOperations, description: 'Refused by the limit as it was.' }),
    wouldRefuse: t.exposeInt('wouldRefuse', {
      authScopes: ofOperations,
      description: 'Refusals on the tier asked about.',
    }),
    peakRequests: t.exposeInt('peakRequests', {
      authScopes: ofOperations,
      description: 'Requests in the 60 seconds with the most.',
    }),
    peakAt: t.expose('peakAt', {
      type: 'Timestamp',
      authScopes: ofOperations,
      description: 'When the 60 seconds with the most requests began.',
    }),
  }),
});

const WhatIf = builder.objectRef<WhatIfShape>('WhatIf').implement({
  description:
    "What another tier would have meant in the last 24 hours, by the access record: calls that named a client and counted against the key, those that were refused by the limit included. Each second's calls are taken together, the first to fit.",
  fields: (t) => ({
    tier: t.exposeString('tier', { authScopes: ofOperations, description: 'The tier that was asked about.' }),
    limit: t.exposeInt('limit', { authScopes: ofOperations, description: 'Requests per 60 seconds.' }),
    since: t.expose('since', { type: 'Timestamp', authScopes: ofOperations, description: 'First instant looked at.' }),
    until: t.expose('until', { type: 'Timestamp', authScopes: ofOperations, description: 'When it was asked.' }),
    wouldRefuse: t.exposeInt('wouldRefuse', { authScopes: ofOperations, description: 'Of all keys together.' }),
    keys: t.expose('keys', {
      type: [WhatIfKey],
      authScopes: ofOperations,
      description: 'One entry for each key with a call, most refusals first.',
    }),
  }),
});

builder.queryField('whatIf', (t) =>
  t.field({
    type: WhatIf,
    authScopes: ofOperations,
    complexity: 500,
    description: 'What a tier would have refused of the last 24 hours.',
    args: {
      tier: t.arg.string({ required: true, description: 'sandbox, standard, elevated or enterprise.' }),
      firmId: t.arg.id({ description: 'Only keys of this firm.' }),
      keyIds: t.arg.idList({ description: 'Only these keys (each with its chain of rotations).' }),
    },
    resolve: (_root, { tier, firmId, keyIds }, { database }) =>
      whatIf(database, readTier(tier), { firmId: firmId ?? null, keyIds: keyIds ?? null }, Date.now()),
  }),
);
