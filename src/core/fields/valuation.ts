// Core: the fields of a valuation.
import { type FieldTable, grantedBy } from './field.ts';

export const VALUATION_FIELDS = {
  ...grantedBy('valuation', {
    id: {
      type: 'id',
      of: 'valuation',
      required: true,
      description: 'The valuation: `val_` and a ULID.',
      example: 'val_01KGHT5W8Y1A3C5E7G9J2M4P6R',
    },
    source: { type: 'code', required: true, description: 'Code of the valuation source.', example: 'appraisal' },
    value: {
      type: 'money',
      columns: ['amount', 'currency'],
      required: true,
      description: 'In the currency of the valuation.',
      example: { amount: '118000.00', currency: 'USD' },
    },
    valuedAt: {
      type: 'timestamp',
      required: true,
      description: 'When the item had this value.',
      example: '2026-02-03T00:00:00.000Z',
    },
    appraiser: { type: 'text', nullable: true, description: 'Who valued it.', example: 'A. Keller, Zürich' },
    createdAt: {
      type: 'timestamp',
      description: 'When the valuation was recorded.',
      example: '2026-02-03T16:40:09.118Z',
    },
  }),
  ...grantedBy(null, {
    itemId: { type: 'id', of: 'item', line: 'asset_id', required: true },
  }),
} satisfies FieldTable;
