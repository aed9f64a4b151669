// Tools: the fields of valuations.ndjson.
import { id, money, oneOf, text, timeOfId, timestamp } from '../readers.ts';
import type { ReferenceRows } from '../reference-rows.ts';
import type { RowShape } from '../rows.ts';

export const valuations = ({ valuationSources }: ReferenceRows): RowShape => ({
  fields: {
    id: { read: id('valuation'), type: 'text', required: true },
    asset_id: { read: id('item'), type: 'text', required: true },
    source: { read: oneOf(valuationSources), type: 'text', required: true },
    value: { read: money, type: 'jsonb', required: true },
    valued_at: { read: timestamp, type: 'timestamptz', required: true },
    appraiser: { read: text, type: 'text' },
    created_at: { read: timestamp, type: 'timestamptz' },
  },
  deletable: true,
  complete: (row) => {
    if (typeof row.id === 'string') row.created_at ??= timeOfId(row.id);
  },
});
