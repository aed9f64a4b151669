// Core: the fields of a document. Its file is stored elsewhere, and the location is not disclosed.
import { type FieldTable, grantedBy } from './field.ts';

export const DOCUMENT_FIELDS = {
  ...grantedBy('documentation', {
    id: {
      type: 'id',
      of: 'document',
      required: true,
      description: 'The document: `doc_` and a ULID.',
      example: 'doc_01K6A0D9F3H7K1N5Q9S3V7X1Z5',
    },
    type: { type: 'code', required: true, description: 'Code of the document type.', example: 'purchase_receipt' },
    title: {
      type: 'name',
      nullable: true,
      required: true,
      description: 'What it is called.',
      example: 'Invoice 2017-3381',
    },
    issuer: { type: 'text', nullable: true, description: 'Who issued it.', example: 'Chronos Genève' },
    issuedOn: { type: 'date', nullable: true, description: 'Day of issue.', example: '2017-11-18' },
    expiresOn: { type: 'date', nullable: true, description: 'Last day on which it is valid.', example: null },
    fileSize: { type: 'bigint', nullable: true, description: 'Bytes, a whole number.', example: 184320 },
    createdAt: { type: 'timestamp', description: 'When it was recorded.', example: '2025-09-29T08:20:41.002Z' },
    updatedAt: {
      type: 'timestamp',
      description: 'When what is known of it last changed.',
      example: '2025-09-29T08:20:41.002Z',
    },
  }),
  ...grantedBy(null, {
    itemId: { type: 'id', of: 'item', line: 'asset_id', required: true },
    filePath: { type: 'text', nullable: true, tier: 'P0' },
  }),
} satisfies FieldTable;
