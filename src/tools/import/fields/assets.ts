// Tools: the fields of assets.ndjson.
import type { ValidateFunction } from 'ajv';
import { registryId } from '#core/ids.ts';
import { heirs, readiness, shareLinks, verification } from '../nested.ts';
import * as read from '../readers.ts';
import type { ReferenceRows } from '../reference-rows.ts';
import type { Field, Refuse, Row, RowShape } from '../rows.ts';

const MAX_QUANTITY = 99_999_999_999.9999;
const DEEPEST_FIELDS = 16;

const text: Field = { read: read.text, type: 'text' };
const timestamp: Field = { read: read.timestamp, type: 'timestamptz' };

/** `platformPrefix` begins the registry ids of items that are new. */
export function assets({ categories }: ReferenceRows, platformPrefix: string): RowShape {
  return {
    fields: {
      id: { read: read.id('item'), type: 'text', required: true },
      client_id: { read: read.id('user'), type: 'text', required: true },
      category: { read: read.oneOf([...categories.keys()]), type: 'text', required: true },
      title: { read: read.name, type: 'text', required: true },
      quantity: { read: read.decimalNumber(MAX_QUANTITY, 4), type: 'numeric' },
      created_at: timestamp,
      updated_at: timestamp,
      market_value: { read: read.amount, type: 'numeric' },
      market_value_as_of: timestamp,
      purchase_price: { read: read.money, type: 'jsonb' },
      purchased_on: { read: read.date, type: 'date' },
      insurance_value: { read: read.money, type: 'jsonb' },
      description: text,
      notes: text,
      seller: text,
      storage_location: text,
      collection_ids: { read: read.list(read.id('collection')), type: 'text[]' },
      category_fields: { read: categoryFields, type: 'jsonb' },
      heirs: { read: heirs, type: 'jsonb' },
      share_links: { read: shareLinks, type: 'jsonb' },
      readiness: { read: readiness, type: 'jsonb' },
      verification: { read: verification, type: 'jsonb' },
      internal_notes: text,
    },
    derived: { registry_id: 'text' },
    deletable: true,
    complete: (row, refuse) => complete(row, refuse, categories, platformPrefix),
  };
}

function complete(row: Row, refuse: Refuse, categories: Map<string, ValidateFunction>, platformPrefix: string): void {
  if (typeof row.category !== 'string') return;
  const validate = categories.get(row.category);
  if (row.category_fields !== undefined && validate?.(row.category_fields) === false) {
    const { instancePath = '', message = 'is not valid' } = validate.errors?.[0] ?? {};
    refuse('category_fields', `does not follow the schema of ${row.category}: ${instancePath} ${message}`.trim());
  }
  if (typeof row.id !== 'string') return;
  row.created_at ??= read.timeOfId(row.id);
  row.registry_id = registryId(platformPrefix, row.category, row.id);
}

const categoryFields: read.Reader = (value) => {
  if (!read.isObject(value)) return new read.Wrong('must be an object');
  return isPlain(value, 0)
    ? value
    : new read.Wrong(`has a number out of range, or is nested deeper than ${DEEPEST_FIELDS}`);
};

/** JSON allows numbers that overflow, and nesting without end. */
function isPlain(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return depth < DEEPEST_FIELDS && Object.values(value).every((entry) => isPlain(entry, depth + 1));
}
