// Core vocabulary: opaque positions in a walk, bound to the query they came from.
import { createHash } from 'node:crypto';
import { Refusal } from './errors.ts';

/** Where a walk stands; `page` is the number of the page that follows. */
export interface Position {
  page: number;
  /** The sort key of the last row seen. */
  after: string[];
  /** Delta sync only: what the first page saw, so that later pages keep to it. */
  sync?: { asOf: string; full: boolean; snapshot: string };
}

/** A short digest of what a cursor belongs to: the same walk has the same, any other query another. */
export function fingerprint(query: unknown): string {
  return createHash('sha256').update(JSON.stringify(query)).digest('base64url').slice(0, 12);
}

export function encodeCursor(position: Position, of: string): string {
  return Buffer.from(JSON.stringify({ of, ...position })).toString('base64url');
}

const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string');

function isSync(value: unknown): boolean {
  if (value === undefined) return true;
  const { asOf, full, snapshot } = value as Record<string, unknown>;
  return (
    typeof asOf === 'string' &&
    !Number.isNaN(Date.parse(asOf)) &&
    typeof full === 'boolean' &&
    typeof snapshot === 'string' &&
    /^\d{1,20}:\d{1,20}:(\d{1,20}(,\d{1,20})*)?$/.test(snapshot)
  );
}

/**
 * Reads a cursor. Throws Refusal `invalid_parameter` (param `cursor`) when it is not one, or belongs to another query.
 * `keys` says what each part of the sort key must look like, so that no foreign text reaches the database.
 */
export function decodeCursor(cursor: string, of: string, keys: RegExp[]): Position {
  const refusal = (message: string) => new Refusal('invalid_parameter', { message, param: 'cursor' });
  let value: Record<string, unknown> | null = null;
  try {
    value = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    // Said below.
  }
  if (typeof value !== 'object' || value === null) throw refusal('The cursor cannot be read.');
  if (value.of !== of) throw refusal('The cursor belongs to another query; start again from the first page.');
  const { page, after, sync } = value;
  const sound =
    Number.isSafeInteger(page) &&
    (page as number) > 1 &&
    isTextList(after) &&
    after.length === keys.length &&
    after.every((part, index) => keys[index]?.test(part)) &&
    isSync(sync);
  if (!sound) throw refusal('The cursor cannot be read.');
  return value as unknown as Position;
}
