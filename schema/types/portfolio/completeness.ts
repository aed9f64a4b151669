// Schema: the completeness of an item's documentation.
import type { Completeness as CompletenessShape } from '#repositories/assets/asset-row.ts';
import { builder } from '../../builder.ts';
import { exposing } from '../../exposed.ts';

export const Completeness = builder.objectRef<CompletenessShape>('Completeness').implement({
  description: 'The share of recommended document types that are present and not expired today (UTC).',
  fields: exposing('documentation', {
    score: ['Int', 'Whole percent, rounded down; 100 if nothing is recommended.'],
    present: ['[String]', 'Codes of recommended types that are present.'],
    missing: ['[String]', 'Codes of recommended types that are missing.'],
  }),
});
