// Tools: the fields of documents.ndjson.
import { date, id, name, oneOf, text, timeOfId, timestamp, wholeNumber } from '../readers.ts';
import type { ReferenceRows } from '../reference-rows.ts';
import type { RowShape } from '../rows.ts';

export const documents = ({ documentTypes }: ReferenceRows): RowShape => ({
  fields: {
    id: { read: id('document'), type: 'text', required: true },
    asset_id: { read: id('item'), type: 'text', required: true },
    type: { read: oneOf(documentTypes), type: 'text', required: true },
    title: { read: name, type: 'text', required: true },
    issuer: { read: text, type: 'text' },
    issued_on: { read: date, type: 'date' },
    expires_on: { read: date, type: 'date' },
    file_size: { read: wholeNumber(0, Number.MAX_SAFE_INTEGER), type: 'bigint' },
    file_path: { read: text, type: 'text' },
    created_at: { read: timestamp, type: 'timestamptz' },
    updated_at: { read: timestamp, type: 'timestamptz' },
  },
  deletable: true,
  complete: (row) => {
    if (typeof row.id === 'string') row.created_at ??= timeOfId(row.id);
  },
});
