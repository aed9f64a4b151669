// Core: the fields of a document; its file is elsewhere, and where is told to nobody.
import type { FieldTable } from './field.ts';

export const DOCUMENT_FIELDS = {
  id: {
    type: 'id',
    of: 'document',
    scope: 'documentation',
    required: true,
    description: 'The document: `doc_` and a ULID.',
    example: 'doc_01K6A0D9F3H7K1N5Q9S3V7X1Z5',
  },
  itemId: { type: 'id', of: 'item', scope: null, line: 'asset_id', required: true },
  type: {
    type: 'code',
    scope: 'documentation',
    required: true,
    description: 'Code of the document type.',
    example: 'purchase_receipt',
  },
  title: {
    type: 'name',
    scope: 'documentation',
    nullable: true,
    required: true,
    description: 'What it is called.',
    example: 'Invoice 2017-3381',
  },
  issuer: {
    type: 'text',
    scope: 'documentation',
    nullable: true,
    description: 'Who issued it.',
    example: 'Chronos Genève',
  },
  issuedOn: {
    type: 'date',
    scope: 'documentation',
    nullable: true,
    description: 'Day of issue.',
    example: '2017-11-18',
  },
  expiresOn: {
    type: 'date',
    scope: 'documentation',
    nullable: true,
    description: 'Last day on which it is valid.',
    example: null,
  },
  fileSize: {
    type: 'bigint',
    scope: 'documentation',
    nullable: true,
    description: 'Bytes, a whole number.',
    example: 184320,
  },
  filePath: { type: 'text', scope: null, nullable: true, tier: 'P0' },
  createdAt: {
    type: 'timestamp',
    scope: 'documentation',
    description: 'When it was recorded.',
    example: '2025-09-29T08:20:41.002Z',
  },
  updatedAt: {
    type: 'timestamp',
    scope: 'documentation',
    description: 'When what is known of it last changed.',
    example: '2025-09-29T08:20:41.002Z',
  },
} as const satisfies FieldTable;
