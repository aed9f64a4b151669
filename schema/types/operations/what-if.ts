// Schema: the effect that another tier would have had.
import { readTier } from '#gateway/consent/portal-arguments.ts';
import { type WhatIfKey as WhatIfKeyShape, type WhatIf as WhatIfShape, whatIf } from '#gateway/operations/what-if.ts';
import { builder, ofOperations } from '../../builder.ts';
import { exposing } from '../../exposed.ts';

const WhatIfKey = builder.objectRef<WhatIfKeyShape>('WhatIfKey').implement({
  description: 'What another tier would have meant for a key and those it was rotated from.',
  fields: exposing('operations', {
    keyId: ['ID', 'The newest key of the chain.'],
    name: ['String', 'Its name.'],
    environment: ['String', 'sandbox or production.'],
    firmId: ['ID', 'The firm whose key it is.'],
    firmName: ['String', 'Its name.'],
    tier: ['String', 'Its tier now.'],
    requests: ['Int', 'Calls on record.'],
    refused: ['Int', 'Refused by the limit as it was.'],
    wouldRefuse: ['Int', 'Refusals on the tier asked about.'],
    peakRequests: ['Int', 'Requests in the 60 seconds with the most.'],
    peakAt: ['Timestamp', 'When the 60 seconds with the most requests began.'],
  }),
});

const WhatIf = builder.objectRef<WhatIfShape>('WhatIf').implement({
  description:
    "What another tier would have meant in the last 24 hours, by the access record: calls that named a client and counted against the key, those that were refused by the limit included. Each second's calls are taken together, the first to fit.",
  fields: exposing('operations', {
    tier: ['String', 'The tier that was asked about.'],
    limit: ['Int', 'Requests per 60 seconds.'],
    since: ['Timestamp', 'First instant looked at.'],
    until: ['Timestamp', 'When it was asked.'],
    wouldRefuse: ['Int', 'Of all keys together.'],
    keys: [[WhatIfKey], 'One entry for each key with a call, most refusals first.'],
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
