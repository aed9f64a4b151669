// Tools: valuations.ndjson into valuations.
import type { Merge } from './merge.ts';

export const valuations: Merge = {
  kind: 'valuations',
  columns: {
    item_id: 's.asset_id',
    source: 's.source',
    amount: `(s.value->>'amount')::numeric`,
    currency: `s.value->>'currency'`,
    valued_at: 's.valued_at',
    appraiser: 's.appraiser',
    created_at: 's.created_at',
  },
};
