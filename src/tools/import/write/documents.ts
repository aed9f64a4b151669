// Tools: documents.ndjson into documents.
import type { Merge } from './merge.ts';

export const documents: Merge = {
  kind: 'documents',
  columns: {
    item_id: 's.asset_id',
    type: 's.type',
    title: 's.title',
    issuer: 's.issuer',
    issued_on: 's.issued_on',
    expires_on: 's.expires_on',
    file_size: 's.file_size',
    file_path: 's.file_path',
    created_at: 's.created_at',
  },
  joins: 'join items i on i.id = s.asset_id join import_clients c on c.id = i.client_id',
  onUpdate: { updated_at: 'coalesce(s.updated_at, t.updated_at)' },
  onInsert: {
    updated_at: 'case when c.fresh then coalesce(s.updated_at, now_ms()) else greatest(s.updated_at, now_ms()) end',
  },
};
