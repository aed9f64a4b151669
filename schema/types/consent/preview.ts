// Schema: a preview of the response that a partner would get, for the client whose data it contains.
import { requireClient } from '#gateway/consent/actor.ts';
import { readTerms } from '#gateway/consent/portal-arguments.ts';
import { draftAdmission } from '#gateway/consent/preview.ts';
import { builder, ofClient } from '../../builder.ts';
import { exposing } from '../../exposed.ts';
import { GrantFilterInput } from './grant-filter.ts';

const Preview = builder.objectRef<{ status: number; body: string }>('Preview').implement({
  description: 'The exact response that the API would give to a partner.',
  fields: exposing('client', {
    status: ['Int', 'HTTP status.'],
    body: ['String', 'The exact text of the body.'],
  }),
});

builder.queryField('preview', (t) =>
  t.field({
    type: Preview,
    authScopes: ofClient,
    description:
      "The response that a partner would get through a grant or a draft. Takes `grantId`, or `keyId` with `scopes` and `filter`. With `grantId`, `scopes` and `filter` replace the grant's.",
    args: {
      grantId: t.arg.id({ description: "One of the client's grants, in any state." }),
      keyId: t.arg.id({ description: 'See `keySummary`.' }),
      scopes: t.arg.stringList({ description: 'Names of one or more scopes.' }),
      filter: t.arg({ type: GrantFilterInput, description: 'Which items.' }),
      request: t.arg.string({
        required: true,
        description: 'Path and query as a partner sends it, e.g. `/api/v1/assets?client_id=usr_…&page_size=5`.',
      }),
      version: t.arg.string({ description: 'Date of the API version; the newest by default.' }),
    },
    resolve: async (_root, { grantId, keyId, request, version, ...terms }, context) => {
      const admit = await draftAdmission(context.database, requireClient(context), {
        grantId: grantId ?? null,
        keyId: keyId ?? null,
        ...readTerms(terms),
      });
      return context.answerAs(admit, request, version ?? undefined);
    },
  }),
);
