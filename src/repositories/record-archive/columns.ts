// Repositories: the columns of a month's file, how they are compressed, and the values of a call in them.
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { SchemaElement } from 'hyparquet';
import type { ColumnSource } from 'hyparquet-writer';
import { INCLUDE_BITS, type Include, includesOf } from '#core/disclosure.ts';
import type { RecordedCall } from '#core/ledger/entry-text.ts';
import { type Scope, scopeSet, scopesOf } from '#core/scopes.ts';

/** Node has zstd. */
export const CODEC = 'ZSTD';
export const compressors = { [CODEC]: (bytes: Uint8Array): Uint8Array => zstdCompressSync(bytes) };
export const decompressors = { [CODEC]: (bytes: Uint8Array): Uint8Array => zstdDecompressSync(bytes) };

/** A recorded call, with the texts that its row references by number. */
export interface ArchivedCall extends RecordedCall {
  param: string | null;
  message: string | null;
  /** Whether a grant joined key and client, and the firm itself made the call. */
  related: boolean;
  tookUs: number | null;
  address: string | null;
  userAgent: string | null;
  /** Position in the ledger's queue (access_calls.entry). */
  entry: number;
  /** Registry ids of `items` and `removed`, in their order; null for an item that was unknown. */
  itemIds: (string | null)[] | null;
  removedIds: (string | null)[] | null;
}

type Value = string | number | bigint | boolean | Date | Uint8Array | readonly (string | null)[] | null | undefined;

interface Column {
  elements: SchemaElement[];
  write: (call: ArchivedCall) => Value;
  /** Whether each group of rows has bounds for the column, by which groups are skipped. */
  bounds?: true;
  encoding?: ColumnSource['encoding'];
}

const text = (name: string, repetition_type: 'REQUIRED' | 'OPTIONAL'): SchemaElement => ({
  ...{ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' }, repetition_type },
});

const list = (name: string): SchemaElement[] => [
  { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  text('element', 'OPTIONAL'),
];

type Names<Of> = { [Name in keyof ArchivedCall]: ArchivedCall[Name] extends Of ? Name : never }[keyof ArchivedCall];

const needed = (name: string, of: Names<string>): Column => ({
  elements: [text(name, 'REQUIRED')],
  write: (call) => call[of],
});

const optional = (name: string, of: Names<string | null>): Column => ({
  elements: [text(name, 'OPTIONAL')],
  write: (call) => call[of],
});

const names = (name: string, write: (call: ArchivedCall) => readonly (string | null)[] | null): Column => ({
  // Set explicitly, because the library decides by a sample of the values and would write each id in full.
  ...{ elements: list(name), write, encoding: 'RLE_DICTIONARY' },
});

const bytes = (name: string, write: (call: ArchivedCall) => Uint8Array | null): Column => ({
  elements: [{ name, type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' }],
  write,
});

const whole = (name: string, repetition_type: 'REQUIRED' | 'OPTIONAL', write: Column['write']): Column => ({
  elements: [{ name, type: 'INT32', repetition_type }],
  write,
});

/** In the order of the file. Names and meanings must never change: files are read for years. */
const COLUMNS: readonly Column[] = [
  { ...needed('client_id', 'clientId'), bounds: true },
  {
    elements: [
      {
        ...{ name: 'called_at', type: 'INT64', converted_type: 'TIMESTAMP_MILLIS', repetition_type: 'REQUIRED' },
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
      },
    ],
    write: ({ at }) => new Date(at),
    bounds: true,
  },
  needed('request_id', 'requestId'),
  needed('firm_id', 'firmId'),
  needed('key_id', 'keyId'),
  needed('endpoint', 'endpoint'),
  optional('registry_id', 'registryId'),
  names('scopes', ({ scopes }) => scopesOf(scopes)),
  whole('status', 'REQUIRED', ({ status }) => status),
  optional('error_code', 'errorCode'),
  optional('param', 'param'),
  optional('message', 'message'),
  { elements: [{ name: 'related', type: 'BOOLEAN', repetition_type: 'REQUIRED' }], write: ({ related }) => related },
  optional('tool_role', 'toolRole'),
  optional('tool_id', 'toolId'),
  names('items', ({ itemIds }) => itemIds),
  names('removed_items', ({ removedIds }) => removedIds),
  bytes('item_numbers', ({ items }) => items),
  bytes('removed_numbers', ({ removed }) => removed),
  names('disclosed_scopes', ({ disclosed }) => (disclosed === null ? null : scopesOf(disclosed))),
  names('includes', ({ includes }) => (includes === null ? null : includesOf(includes))),
  optional('version', 'version'),
  whole('took_us', 'OPTIONAL', ({ tookUs }) => tookUs),
  optional('address', 'address'),
  optional('user_agent', 'userAgent'),
  {
    elements: [{ name: 'ledger_entry', type: 'INT64', repetition_type: 'REQUIRED' }],
    write: ({ entry }) => BigInt(entry),
  },
];

export const SCHEMA: SchemaElement[] = [
  { name: 'calls', num_children: COLUMNS.length },
  ...COLUMNS.flatMap(({ elements }) => elements),
];

export const columnsOf = (calls: readonly ArchivedCall[]): ColumnSource[] =>
  COLUMNS.map(({ elements, write, bounds = false, encoding }) => ({
    ...{ name: elements[0]?.name ?? '', data: calls.map(write), statistics: bounds },
    ...(encoding === undefined ? {} : { encoding }),
  }));

const packed = (value: unknown): Buffer | null => (value == null ? null : Buffer.from(value as Uint8Array));
const listed = (value: unknown): (string | null)[] | null => (value == null ? null : (value as (string | null)[]));
const scopes = (value: unknown) => (value == null ? null : scopeSet(value as Scope[]));
const includes = (value: unknown) =>
  value == null ? null : (value as Include[]).reduce((set, name) => set | INCLUDE_BITS[name], 0);

/** A call from a row of the reader. */
export function callOf(row: Record<string, unknown>): ArchivedCall {
  const textOf = (name: string) => String(row[name]);
  const textOrNull = (name: string) => (row[name] == null ? null : String(row[name]));
  return {
    ...{ clientId: textOf('client_id'), at: (row.called_at as Date).toISOString(), requestId: textOf('request_id') },
    ...{ firmId: textOf('firm_id'), keyId: textOf('key_id'), endpoint: textOf('endpoint') },
    ...{ registryId: textOrNull('registry_id'), scopes: scopes(row.scopes) ?? 0, status: Number(row.status) },
    ...{ errorCode: textOrNull('error_code'), param: textOrNull('param'), message: textOrNull('message') },
    ...{ related: row.related === true, toolRole: textOrNull('tool_role'), toolId: textOrNull('tool_id') },
    ...{ itemIds: listed(row.items), removedIds: listed(row.removed_items) },
    ...{ items: packed(row.item_numbers), removed: packed(row.removed_numbers) },
    ...{ disclosed: scopes(row.disclosed_scopes), includes: includes(row.includes), version: textOrNull('version') },
    tookUs: row.took_us == null ? null : Number(row.took_us),
    ...{ address: textOrNull('address'), userAgent: textOrNull('user_agent'), entry: Number(row.ledger_entry) },
  };
}

/** The order of the rows of a file: by client, then by time and request id, oldest first. */
export function compareCalls(one: ArchivedCall, other: ArchivedCall): number {
  for (const name of ['clientId', 'at', 'requestId'] as const) {
    if (one[name] < other[name]) return -1;
    if (one[name] > other[name]) return 1;
  }
  return 0;
}
