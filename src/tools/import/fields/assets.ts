// Tools: the fields of assets.ndjson.
import type { ValidateFunction } from 'ajv';
import { ASSET_FIELDS } from '#core/fields/asset.ts';
import { registryId } from '#core/ids.ts';
import { isJsonObject } from '#core/json-object.ts';
import { heirs, readiness, shareLinks, verification } from '../nested.ts';
import * as read from '../readers.ts';
import type { ReferenceRows } from '../reference-rows.ts';
import type { Refuse, Row, RowShape } from '../rows.ts';
import { lineFields } from './from-table.ts';

const MAX_QUANTITY = 99_999_999_999.9999;
const DEEPEST_FIELDS = 16;

/** `platformPrefix` is the prefix of new items' registry ids. */
export function assets({ categories }: ReferenceRows, platformPrefix: string): RowShape {
  return {
    fields: {
      ...lineFields(ASSET_FIELDS, {
        category: read.oneOf([...categories.keys()]),
        quantity: read.decimalNumber(MAX_QUANTITY, 4),
        category_fields: categoryFields,
        heirs,
        readiness,
        verification,
      }),
      collection_ids: { read: read.list(read.id('collection')), type: 'text[]' },
      share_links: { read: shareLinks, type: 'jsonb' },
    },
    derived: { registry_id: 'text' },
    complete: (row, refuse) => complete(row, refuse, categories, platformPrefix),
  };
}

function complete(row: Row, refuse: Refuse, categories: Map<string, ValidateFunction>, platformPrefix: string): void {
  if (typeof row.category !== 'string') return;
  const validate = categories.get(row.category);
  if (row.category_fields !== undefined && validate?.(row.category_fields) === false)
    for (const { instancePath, message = 'is not valid' } of validate.errors ?? [])
      refuse('category_fields', `does not follow the schema of ${row.category}: ${instancePath} ${message}`.trim());
  if (typeof row.id !== 'string') return;
  row.created_at ??= read.creationOf(row.id);
  row.registry_id = registryId(platformPrefix, row.category, row.id);
}

const categoryFields: read.Reader = (value) => {
  if (!isJsonObject(value)) return new read.Wrong('must be an object');
  const faults = [...faultsWithin(value)];
  return faults.length === 0 ? value : new read.Wrong(faults);
};

const INEXACT = `is a number that cannot be kept to its last digit: a whole one beyond ${Number.MAX_SAFE_INTEGER}, or another of more than some 15 digits`;
const MAX_PATH = 100;

/** Errors of arbitrary JSON: numbers that would be changed silently, and excessive nesting. `path` is a JSON pointer. */
function* faultsWithin(value: unknown, path = '', depth = 0): Generator<string> {
  if (typeof value === 'number') {
    const isExact = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
    if (!isExact) yield `${path.slice(0, MAX_PATH)} ${INEXACT}`;
  } else if (typeof value === 'object' && value !== null) {
    if (depth === DEEPEST_FIELDS) yield `is nested deeper than ${DEEPEST_FIELDS} levels`;
    else for (const [name, entry] of Object.entries(value)) yield* faultsWithin(entry, `${path}/${name}`, depth + 1);
  }
}
