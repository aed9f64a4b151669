// Tools: valuations.ndjson into valuations.
import { VALUATION_FIELDS } from '#core/fields/valuation.ts';
import { stagedColumns } from '../fields/from-table.ts';
import type { Merge } from './merge.ts';

export const valuations: Merge = {
  kind: 'valuations',
  columns: stagedColumns(VALUATION_FIELDS),
};
