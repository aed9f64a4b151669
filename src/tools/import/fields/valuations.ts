// Tools: the fields of valuations.ndjson.
import { VALUATION_FIELDS } from '#core/fields/valuation.ts';
import { oneOf, timeOfId } from '../readers.ts';
import type { ReferenceRows } from '../reference-rows.ts';
import type { RowShape } from '../rows.ts';
import { lineFields } from './from-table.ts';

export const valuations = ({ valuationSources }: ReferenceRows): RowShape => ({
  fields: lineFields(VALUATION_FIELDS, { source: oneOf(valuationSources) }),
  complete: (row) => {
    if (typeof row.id === 'string') row.created_at ??= timeOfId(row.id);
  },
});
