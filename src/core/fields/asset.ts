// Core: the fields of an asset that are columns of its row.
import { type FieldTable, grantedBy } from './field.ts';

export const ASSET_FIELDS = {
  ...grantedBy('registry', {
    id: {
      type: 'id',
      of: 'item',
      required: true,
      description: 'The item: `itm_` and a ULID.',
      example: 'itm_01K6A0C2E4G6J8M0P2R4T6W8Y0',
    },
    registryId: {
      type: 'text',
      line: null,
      description: 'Globally unique and stable; the identifier in asset paths.',
      example: 'PTC-WT-01K6A0C2E4G6J8M0P2R4T6W8Y0',
    },
    category: {
      type: 'code',
      required: true,
      description: 'Category code; it may differ from the one in the registry id.',
      example: 'WT',
    },
    title: {
      type: 'name',
      required: true,
      description: 'Title given by the owner.',
      example: 'Patek Philippe 5711/1A-010 Nautilus',
    },
    quantity: { type: 'number', absent: '1', description: 'Up to 4 decimals.', example: 1 },
    createdAt: { type: 'timestamp', description: 'When the item was recorded.', example: '2025-09-29T08:14:22.431Z' },
    updatedAt: {
      type: 'timestamp',
      description: 'Moves with any change of the item, its valuations or its documents.',
      example: '2026-02-03T16:40:09.118Z',
    },
  }),
  ...grantedBy('valuation', {
    marketValue: {
      type: 'amount',
      nullable: true,
      description: "In the client's reporting currency.",
      example: { amount: '118000.00', currency: 'USD' },
    },
    marketValueAsOf: {
      type: 'timestamp',
      nullable: true,
      description: 'When the market value was determined.',
      example: '2026-02-03T00:00:00.000Z',
    },
    purchasePrice: {
      type: 'money',
      nullable: true,
      columns: ['purchase_amount', 'purchase_currency'],
      description: 'In the currency it was paid in.',
      example: { amount: '29800.00', currency: 'CHF' },
    },
    purchasedOn: { type: 'date', nullable: true, description: 'Day of purchase.', example: '2017-11-18' },
    insuranceValue: {
      type: 'money',
      nullable: true,
      columns: ['insurance_amount', 'insurance_currency'],
      description: 'In the currency of the policy.',
      example: { amount: '125000.00', currency: 'USD' },
    },
  }),
  ...grantedBy('detail', {
    description: {
      type: 'text',
      nullable: true,
      description: 'What the item is.',
      example: 'Steel, blue dial, full set',
    },
    notes: { type: 'text', nullable: true, description: "The owner's notes.", example: 'Serviced before the move' },
    seller: { type: 'text', nullable: true, description: 'Whom it was bought from.', example: 'Chronos Genève' },
    storageLocation: { type: 'text', nullable: true, description: 'Where it is kept.', example: 'Zürich, vault 4' },
  }),
  ...grantedBy('category_detail', {
    categoryFields: {
      type: 'json',
      nullable: true,
      description: "Fields after the category's schema, e.g. metal and purity, brand and reference.",
      example: { brand: 'Patek Philippe', model: 'Nautilus', reference: '5711/1A-010', year: 2017 },
    },
  }),
  ...grantedBy('estate', {
    heirs: {
      type: 'json',
      within: 'estate',
      absent: "'[]'",
      description: 'As the owner listed them.',
      example: [{ name: 'Clara Lindqvist', relationship: 'daughter', share_percent: 66.67 }],
    },
    readiness: {
      type: 'json',
      within: 'estate',
      nullable: true,
      description: 'Null where it was not assessed.',
      example: { score: 80, missing: ['letter of wishes'] },
    },
  }),
  ...grantedBy('verification', {
    verification: {
      type: 'json',
      nullable: true,
      description: 'Whether it is what it is said to be; null where nothing is known.',
      example: {
        status: 'verified',
        verified_at: '2026-01-12T10:31:07.250Z',
        risk_score: 4,
        tamper_state: 'intact',
        last_scan_at: '2026-01-12T10:31:07.250Z',
        scans: [{ scanned_at: '2026-01-12T10:31:07.250Z', method: 'nfc', result: 'match' }],
      },
    },
  }),
  ...grantedBy(null, {
    clientId: { type: 'id', of: 'user', required: true },
    internalNotes: { type: 'text', nullable: true, tier: 'P0' },
    /** Counts the changes that a partner may see. */
    revision: { type: 'integer', tier: 'P2', line: null },
    /** The item's number in the access record. */
    number: { type: 'bigint', tier: 'P2', line: null },
  }),
} satisfies FieldTable;
