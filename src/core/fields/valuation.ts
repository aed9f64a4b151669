// Core: the fields of a valuation.
import type { FieldTable } from './field.ts';

export const VALUATION_FIELDS = {
  id: {
    type: 'id',
    of: 'valuation',
    scope: 'valuation',
    required: true,
    description: 'The valuation: `val_` and a ULID.',
    example: 'val_01KGHT5W8Y1A3C5E7G9J2M4P6R',
  },
  itemId: { type: 'id', of: 'item', scope: null, line: 'asset_id', required: true },
  source: {
    type: 'code',
    scope: 'valuation',
    required: true,
    description: 'Code of the valuation source.',
    example: 'appraisal',
  },
  value: {
    type: 'money',
    scope: 'valuation',
    columns: ['amount', 'currency'],
    required: true,
    description: 'In the currency of the valuation.',
    example: { amount: '118000.00', currency: 'USD' },
  },
  valuedAt: {
    type: 'timestamp',
    scope: 'valuation',
    required: true,
    description: 'When the item had this value.',
    example: '2026-02-03T00:00:00.000Z',
  },
  appraiser: {
    type: 'text',
    scope: 'valuation',
    nullable: true,
    description: 'Who valued it.',
    example: 'A. Keller, Zürich',
  },
  createdAt: {
    type: 'timestamp',
    scope: 'valuation',
    description: 'When the valuation was recorded.',
    example: '2026-02-03T16:40:09.118Z',
  },
} as const satisfies FieldTable;
