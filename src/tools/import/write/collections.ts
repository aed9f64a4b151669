// Tools: collections.ndjson into collections.
import type { Merge } from './merge.ts';

export const collections: Merge = {
  kind: 'collections',
  columns: { client_id: 's.client_id', name: 's.name' },
  onUpdate: { updated_at: 'now_ms()' },
};
