// Tools: documents.ndjson into documents.
import { DOCUMENT_FIELDS } from '#core/fields/document.ts';
import { stagedColumns } from '../fields/from-table.ts';
import type { Merge } from './merge.ts';

export const documents: Merge = {
  kind: 'documents',
  columns: stagedColumns(DOCUMENT_FIELDS, ['updated_at']),
  joins: 'join items i on i.id = s.asset_id join import_clients c on c.id = i.client_id',
  onUpdate: { updated_at: 'coalesce(s.updated_at, t.updated_at)' },
  onInsert: {
    updated_at: 'case when c.fresh then coalesce(s.updated_at, now_ms()) else greatest(s.updated_at, now_ms()) end',
  },
};
