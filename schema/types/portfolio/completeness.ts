// Schema: the completeness of an item's documentation.
import type { Completeness as CompletenessShape } from '#repositories/assets/asset-row.ts';
import { builder } from '../../builder.ts';
import { exposing } from '../../exposed.ts';

export const Completeness = builder.objectRef<CompletenessShape>('Completeness').implement({
  description: 'Recommended document types that are there and not expired today (UTC), against all recommended ones.',
  fields: exposing('documentation', {
    score: ['Int', 'Whole percent, rounded down; 100 where nothing is recommended.'],
    present: ['[String]', 'Codes of recommended types that are there.'],
    missing: ['[String]', 'Codes of recommended types that are not.'],
  }),
});
