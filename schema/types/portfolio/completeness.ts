// Schema: how complete the documentation of an item is.
import type { Completeness as CompletenessShape } from '#repositories/assets/asset-row.ts';
import { builder } from '../../builder.ts';

export const Completeness = builder.objectRef<CompletenessShape>('Completeness').implement({
  description: 'Recommended document types that are there and not expired today (UTC), against all recommended ones.',
  fields: (t) => ({
    score: t.exposeInt('score', {
      authScopes: { documentation: true },
      description: 'Whole percent, rounded down; 100 where nothing is recommended.',
    }),
    present: t.exposeStringList('present', {
      authScopes: { documentation: true },
      description: 'Codes of recommended types that are there.',
    }),
    missing: t.exposeStringList('missing', {
      authScopes: { documentation: true },
      description: 'Codes of recommended types that are not.',
    }),
  }),
});
