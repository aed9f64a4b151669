// Tools: reads a line as a row, and collects the errors of its fields.
import { isExact, parseNumbers } from '#core/exact-json.ts';
import { isJsonObject } from '#core/json-object.ts';
import type { Line } from './lines.ts';
import { type Reader, timestamp, Wrong } from './readers.ts';

export interface Field {
  read: Reader;
  /** Type of the staged column with the field's name. */
  type: string;
  required?: boolean;
}

/** The staged columns of a row by name, including `id` if it is readable. */
export type Row = Record<string, unknown>;

export interface RowShape {
  fields: Record<string, Field>;
  /** Staged columns derived from the fields, by name and type. */
  derived?: Record<string, string>;
  /** Checks that involve several fields, and computes the derived columns; `given` is the original line. */
  complete?: (row: Row, refuse: Refuse, given: Row) => void;
}

export type Refuse = (field: string | null, reason: string) => void;

/** The parsed line; null, with an error added, if it is not an object. */
export function parseLine({ text, reason = '' }: Line, refuse: Refuse): Row | null {
  if (text === null) {
    refuse(null, reason);
    return null;
  }
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    refuse(null, error instanceof RangeError ? 'is nested too deeply' : 'is not valid JSON');
    return null;
  }
  if (isJsonObject(value)) return value;
  refuse(null, 'is not a JSON object');
  return null;
}

/**
 * Matches text that may have a number that changes when parsed: with 16 digits, or close to zero. Other text is parsed
 * faster.
 */
const LONG_NUMBER = /[\d.]{16}|e-\d{3}/i;

/** Numbers that would change become NaN, which no reader accepts. */
const parseJson = (text: string): unknown =>
  LONG_NUMBER.test(text)
    ? parseNumbers(text, (value, source) => (isExact(value, source) ? value : Number.NaN))
    : JSON.parse(text);

/**
 * Reads the row `value` of a line. A row with errors is returned as far as it is readable, since others may reference
 * it.
 */
export function readRow(shape: RowShape, value: Row, { text }: Line, refuse: Refuse): Row | null {
  const deletes = value.deleted_at !== undefined && value.deleted_at !== null;
  const row = deletes ? readDeletion(shape, value, refuse) : readFields(shape, value, refuse);
  // PostgreSQL can store neither NUL nor lone surrogates; only an escape can produce them.
  if (row !== null && text?.includes('\\u')) dropUnstorable(row, value, refuse);
  return row;
}

const MAX_FIELD_NAME = 100;

function readFields(shape: RowShape, value: Row, refuse: Refuse): Row {
  const row: Row = { deleted: false };
  for (const field of Object.keys(value)) {
    const known = Object.hasOwn(shape.fields, field) || field === 'deleted_at';
    if (!known) refuse(field.slice(0, MAX_FIELD_NAME), 'is not a known field');
  }
  for (const field in shape.fields) {
    const { read, required } = shape.fields[field] as Field;
    const given = value[field] ?? null;
    if (given === null) {
      if (required) refuse(field, 'is required');
      continue;
    }
    const stored = read(given);
    if (!(stored instanceof Wrong)) row[field] = stored;
    else for (const reason of stored.reasons) refuse(field, reason);
  }
  shape.complete?.(row, refuse, value);
  return row;
}

function readDeletion(shape: RowShape, value: Row, refuse: Refuse): Row | null {
  const when = timestamp(value.deleted_at);
  if (when instanceof Wrong) refuse('deleted_at', when.reasons[0] ?? '');
  for (const [field, given] of Object.entries(value))
    if (field !== 'id' && field !== 'deleted_at' && given !== null)
      refuse(field, 'must be absent: a deletion has only id and deleted_at');
  const id = shape.fields.id?.read(value.id ?? null);
  if (!(id instanceof Wrong)) return { id, deleted: true };
  refuse('id', value.id === undefined || value.id === null ? 'is required' : (id.reasons[0] ?? ''));
  return null;
}

const DEEPEST = 64;

function dropUnstorable(row: Row, given: Row, refuse: Refuse): void {
  for (const [field, value] of Object.entries(given)) {
    if (isStorable(value, 0)) continue;
    refuse(field, 'contains a character that cannot be stored (NUL or half a surrogate pair)');
    delete row[field];
  }
}

function isStorable(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  // The reader refuses deeper nesting.
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return true;
  return Object.entries(value).every(([key, entry]) => isStorable(key, depth) && isStorable(entry, depth + 1));
}
