// Tools: the fields of documents.ndjson.
import { DOCUMENT_FIELDS } from '#core/fields/document.ts';
import { oneOf, timeOfId, wholeNumber } from '../readers.ts';
import type { ReferenceRows } from '../reference-rows.ts';
import type { RowShape } from '../rows.ts';
import { lineFields } from './from-table.ts';

export const documents = ({ documentTypes }: ReferenceRows): RowShape => ({
  fields: lineFields(DOCUMENT_FIELDS, {
    type: oneOf(documentTypes),
    file_size: wholeNumber(0, Number.MAX_SAFE_INTEGER),
  }),
  complete: (row) => {
    if (typeof row.id === 'string') row.created_at ??= timeOfId(row.id);
  },
});
