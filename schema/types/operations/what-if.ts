// Schema: the effect that another tier would have had.
import { ENVIRONMENTS } from '#core/principal.ts';
import { TIERS } from '#core/tiers.ts';
import { oneOf } from '#gateway/consent/portal-arguments.ts';
import { type WhatIfKey as WhatIfKeyShape, type WhatIf as WhatIfShape, whatIf } from '#gateway/operations/what-if.ts';
import { builder, ofOperations } from '../../builder.ts';
import { either } from '../../either.ts';
import { exposing } from '../../exposed.ts';

const WhatIfKey = builder.objectRef<WhatIfKeyShape>('WhatIfKey').implement({
  description: 'The effect of another tier on a key and its predecessors.',
  fields: exposing('operations', {
    keyId: ['ID', 'The newest key of the lineage.'],
    name: ['String', 'Its name.'],
    environment: ['String', `${either(ENVIRONMENTS)}.`],
    firmId: ['ID', 'The firm whose key it is.'],
    firmName: ['String', 'Its name.'],
    tier: ['String', 'Its tier now.'],
    requests: ['Int', 'Recorded calls.'],
    refused: ['Int', 'Calls that the actual limit refused.'],
    wouldRefuse: ['Int', 'Calls that the other tier would have refused.'],
    peakRequests: ['Int', 'Requests in the 60 seconds with the most.'],
    peakAt: ['Timestamp', 'When the 60 seconds with the most requests began.'],
  }),
});

const WhatIf = builder.objectRef<WhatIfShape>('WhatIf').implement({
  description:
    "The effect that another tier would have had in the last 24 hours, according to the access record: calls that named a client and counted against the key, including those that the limit refused. Each second's calls are taken together, and the first ones are admitted.",
  fields: exposing('operations', {
    tier: ['String', 'The other tier.'],
    limit: ['Int', 'Requests per 60 seconds.'],
    since: ['Timestamp', 'Start of the time considered.'],
    until: ['Timestamp', 'End of the time considered.'],
    wouldRefuse: ['Int', 'For all keys together.'],
    keys: [[WhatIfKey], 'One entry for each key with a call, most refusals first.'],
  }),
});

builder.queryField('whatIf', (t) =>
  t.field({
    type: WhatIf,
    authScopes: ofOperations,
    extensions: { cost: 500 },
    description: 'The calls of the last 24 hours that a tier would have refused.',
    args: {
      tier: t.arg.string({ required: true, description: `${either(TIERS)}.` }),
      firmId: t.arg.id({ description: 'Only keys of this firm.' }),
      keyIds: t.arg.idList({ description: 'Only these keys (each with its lineage).' }),
    },
    resolve: (_root, { tier, firmId, keyIds }, { database }) =>
      whatIf(database, oneOf('tier', TIERS, tier), { firmId: firmId ?? null, keyIds: keyIds ?? null }, Date.now()),
  }),
);
