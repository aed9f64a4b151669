// REST facade: examples of requests and responses, of one plausible client. A test validates each against its schema.
import { ASSET_FIELDS } from '#core/fields/asset.ts';
import { DOCUMENT_FIELDS } from '#core/fields/document.ts';
import { type FieldTable, snakeCase } from '#core/fields/field.ts';
import { VALUATION_FIELDS } from '#core/fields/valuation.ts';
import type { Scope } from '#core/scopes.ts';

export interface Example {
  name: string;
  summary: string;
  value: unknown;
}

/** At least one. The first shows all fields. */
export type Examples = readonly [Example, ...Example[]];

/** In the form of OpenAPI. */
export const byName = (examples: Examples): Record<string, Omit<Example, 'name'>> =>
  Object.fromEntries(examples.map(({ name, ...example }) => [name, example]));

export const CLIENT_ID = 'usr_01K5Z8Q4T7M2W9X3Y6A1B5C8D0';
export const REGISTRY_ID = ASSET_FIELDS.registryId.example;

/** The field table's examples, for fields of this scope. */
const fieldsOf = (fields: FieldTable, granted: Scope): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { scope, within, example }]) =>
      scope === granted && within === undefined ? [[snakeCase(name), example]] : [],
    ),
  );

export const usd = (amount: string) => ({ amount, currency: 'USD' });

/** Of the one document below. */
export const completeness = {
  score: 20,
  present: ['purchase_receipt'],
  missing: ['appraisal_report', 'certificate_of_authenticity', 'insurance_policy', 'service_record'],
};

/** An asset without fields of other scopes. */
export const registry = fieldsOf(ASSET_FIELDS, 'registry');

/** The valuation fields of an asset. */
export const values = fieldsOf(ASSET_FIELDS, 'valuation');

export const asset = {
  ...registry,
  ...values,
  ...fieldsOf(ASSET_FIELDS, 'detail'),
  collections: [{ id: 'col_01K5ZBX3N8Q1R5S9T2V6W0X4Y7', name: 'Family watches' }],
  ...fieldsOf(ASSET_FIELDS, 'category_detail'),
  documentation: completeness,
  estate: {
    heirs: ASSET_FIELDS.heirs.example,
    share_links: [
      {
        id: 'shl_01K7B2D4F6H8K0M2N4Q6S8V0X2',
        label: 'For the insurer',
        created_at: '2025-12-01T09:00:00.000Z',
        expires_at: '2026-03-01T09:00:00.000Z',
        active: true,
      },
    ],
    readiness: ASSET_FIELDS.readiness.example,
  },
  ...fieldsOf(ASSET_FIELDS, 'verification'),
};

const ofAsset = ({ id, ...own }: Record<string, unknown>) => ({ id, registry_id: REGISTRY_ID, ...own });

export const valuation = ofAsset(fieldsOf(VALUATION_FIELDS, 'valuation'));
export const document = ofAsset(fieldsOf(DOCUMENT_FIELDS, 'documentation'));

/** Encrypted with a random key: no gateway accepts it. */
export const CURSOR =
  '8aQafE0VzhWDxrq1l5F1o39x3IeXw4WmZClk5jTWrWG7cdzwce5GbuGcXcoBUcNae_VhBiSJDYefGg_d8vdEb0ByA1xKNizr5G5T1i4LRsqAGr8q1QuIdw_pIHqVwAYgeZrMRbk';
export const onePage = { page: 1, page_size: 25, total_items: 1, total_pages: 1, has_more: false, next_cursor: null };
export const firstOfTwo = {
  ...{ page: 1, page_size: 1, total_items: 2, total_pages: 2, has_more: true },
  next_cursor: CURSOR,
};
export const AS_OF = '2026-02-05T07:30:00.412Z';
