// REST facade, OpenAPI: example bodies: one believable client. A test checks each against its schema, field by field.
import { SCOPE_COUNT } from '#core/scopes.ts';

export const CLIENT_ID = 'usr_01K5Z8Q4T7M2W9X3Y6A1B5C8D0';
export const REGISTRY_ID = 'PTC-WT-01K6A0C2E4G6J8M0P2R4T6W8Y0';

interface Example {
  summary: string;
  value: unknown;
}

const usd = (amount: string) => ({ amount, currency: 'USD' });

const registry = {
  id: 'itm_01K6A0C2E4G6J8M0P2R4T6W8Y0',
  registry_id: REGISTRY_ID,
  title: 'Patek Philippe 5711/1A-010 Nautilus',
  category: 'WT',
  quantity: 1,
  created_at: '2025-09-29T08:14:22.431Z',
  updated_at: '2026-02-03T16:40:09.118Z',
};

const completeness = {
  score: 60,
  present: ['certificate_of_authenticity', 'insurance_policy', 'purchase_receipt'],
  missing: ['appraisal_report', 'service_record'],
};

const asset = {
  ...registry,
  market_value: usd('118000.00'),
  market_value_as_of: '2026-02-03T00:00:00.000Z',
  purchase_price: { amount: '29800.00', currency: 'CHF' },
  purchased_on: '2017-11-18',
  insurance_value: usd('125000.00'),
  description: 'Steel, blue dial, full set',
  notes: 'Serviced before the move',
  seller: 'Chronos Genève',
  storage_location: 'Zürich, vault 4',
  collections: [{ id: 'col_01K5ZBX3N8Q1R5S9T2V6W0X4Y7', name: 'Family watches' }],
  category_fields: { brand: 'Patek Philippe', model: 'Nautilus', reference: '5711/1A-010', year: 2017 },
  documentation: completeness,
  estate: {
    heirs: [{ name: 'Clara Lindqvist', relationship: 'daughter', share_percent: 66.67 }],
    share_links: [
      {
        id: 'shl_01K7B2D4F6H8K0M2N4Q6S8V0X2',
        label: 'For the insurer',
        created_at: '2025-12-01T09:00:00.000Z',
        expires_at: '2026-03-01T09:00:00.000Z',
        active: true,
      },
    ],
    readiness: { score: 80, missing: ['letter of wishes'] },
  },
  verification: {
    status: 'verified',
    verified_at: '2026-01-12T10:31:07.250Z',
    risk_score: 4,
    tamper_state: 'intact',
    last_scan_at: '2026-01-12T10:31:07.250Z',
    scans: [{ scanned_at: '2026-01-12T10:31:07.250Z', method: 'nfc', result: 'match' }],
  },
};

const valuation = {
  id: 'val_01KGHT5W8Y1A3C5E7G9J2M4P6R',
  registry_id: REGISTRY_ID,
  source: 'appraisal',
  value: usd('118000.00'),
  valued_at: '2026-02-03T00:00:00.000Z',
  appraiser: 'A. Keller, Zürich',
  created_at: '2026-02-03T16:40:09.118Z',
};

const document = {
  id: 'doc_01K6A0D9F3H7K1N5Q9S3V7X1Z5',
  registry_id: REGISTRY_ID,
  type: 'purchase_receipt',
  title: 'Invoice 2017-3381',
  issuer: 'Chronos Genève',
  issued_on: '2017-11-18',
  expires_on: null,
  file_size: 184320,
  created_at: '2025-09-29T08:20:41.002Z',
  updated_at: '2025-09-29T08:20:41.002Z',
};

const onePage = { page: 1, page_size: 25, total_items: 1, total_pages: 1, has_more: false, next_cursor: null };
const firstOfTwo = {
  ...{ page: 1, page_size: 1, total_items: 2, total_pages: 2, has_more: true },
  next_cursor: 'eyJvZiI6InFkV3BvUyIsInBhZ2UiOjIsImFmdGVyIjpbIml0bV8wMUs2QTBDMkU0RzZKOE0wUDJSNFQ2VzhZMCJdfQ',
};
const asOf = '2026-02-05T07:30:00.412Z';

/** Bodies of a 200, by operation. The first shows every field there is. */
export const bodies: Readonly<Record<string, Record<string, Example>>> = {
  ListAssets: {
    everything: {
      summary: `All ${SCOPE_COUNT} scopes, with valuations and documents`,
      value: {
        data: [{ ...asset, valuations: [valuation], documents: [document] }],
        pagination: firstOfTwo,
        sync: { as_of: asOf, full: true },
      },
    },
    registry: {
      summary: 'The scope registry alone',
      value: { data: [registry], pagination: onePage, sync: { as_of: asOf, full: true } },
    },
    delta: {
      summary: 'Delta sync: what changed and what left since',
      value: {
        data: [{ ...registry, market_value: usd('118000.00') }],
        pagination: onePage,
        removed: [
          {
            registry_id: 'PTC-AR-01K4W6Y8A0C2E4G6J8M0P2R4T6',
            removed_at: '2026-02-04T11:02:55.700Z',
            reason: 'out_of_scope',
          },
        ],
        sync: { as_of: asOf, full: false },
      },
    },
  },
  GetAsset: {
    everything: {
      summary: `All ${SCOPE_COUNT} scopes, with valuations and documents`,
      value: { data: { ...asset, valuations: [valuation], documents: [document] } },
    },
    valuation: {
      summary: 'The scopes registry and valuation; no market value yet',
      value: {
        data: {
          ...registry,
          ...{ market_value: null, market_value_as_of: null, purchase_price: asset.purchase_price },
          ...{ purchased_on: asset.purchased_on, insurance_value: null },
        },
      },
    },
  },
  ListValuations: {
    page: { summary: 'One page', value: { data: [valuation], pagination: onePage } },
  },
  ListDocuments: {
    documents: { summary: 'Documents and completeness', value: { data: [document], completeness } },
  },
  GetPortfolioSummary: {
    everything: {
      summary: 'The scopes registry, valuation and documentation',
      value: {
        data: {
          client_id: CLIENT_ID,
          item_count: 14,
          categories: [
            { category: 'AR', name: 'Art', item_count: 5, total_value: usd('842000.00') },
            { category: 'WT', name: 'Watches', item_count: 9, total_value: usd('391500.00') },
          ],
          total_value: usd('1233500.00'),
          documentation_completeness: { score: 72, complete_items: 6 },
          as_of: asOf,
        },
      },
    },
  },
  ListPlants: {
    plants: {
      summary: 'Two plants, one without a tag',
      value: [{ name: 'Monstera deliciosa', tag: 'indoor' }, { name: 'Olive' }],
    },
  },
  CreatePlant: {
    plant: { summary: 'The plant as it was stored', value: { name: 'Monstera deliciosa', tag: 'indoor' } },
  },
};

/** Request bodies, by operation. */
export const requests: Readonly<Record<string, Record<string, Example>>> = {
  CreatePlant: {
    plant: { summary: 'With a tag', value: { id: 42, name: 'Monstera deliciosa', tag: 'indoor' } },
    untagged: { summary: 'Without one', value: { id: 43, name: 'Olive' } },
  },
};
