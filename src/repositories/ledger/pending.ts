// Repositories: entries that are recorded, but not appended to the ledger yet.
import { digestOf, NOBODY, NOBODYS_TEXT, type StepSource } from '#core/ledger/entry-text.ts';
import { binaryList } from '#database/binary-lists.ts';
import type { Sql } from '#database/database.ts';
import { readRow, readValue } from '#database/rows.ts';

/** A call references its row and its place within the row by one number. */
const CALLS_PER_ROW = 65_536;
const DIGEST_BYTES = 32;

/** Calls that were recorded together, or a step of a grant or a key. */
export type Pending = PendingCalls | PendingStep;

export interface PendingCalls {
  number: number;
  subjects: readonly string[];
  /** Concatenated SHA-256 hashes of the texts. */
  digests: Buffer;
  source: null;
}

export interface PendingStep {
  number: number;
  subjects: null;
  source: StepSource;
  event: string;
}

export const placeOf = (entry: number): { batch: number; place: number } => ({
  batch: Math.floor(entry / CALLS_PER_ROW),
  place: entry % CALLS_PER_ROW,
});

/**
 * Queues these calls for the ledger: a statement that returns the number of their row, in which they are placed in
 * order.
 */
export function queueing(calls: readonly { clientId: string; text: string }[]): {
  text: (first: number) => string;
  values: Buffer[];
} {
  if (calls.length > CALLS_PER_ROW) throw new Error(`${calls.length} calls are too many for one row`);
  const digests = Buffer.allocUnsafe(calls.length * DIGEST_BYTES);
  for (const [place, { text }] of calls.entries()) digestOf(text).copy(digests, place * DIGEST_BYTES);
  const subjects = calls.map(({ clientId }) => clientId);
  return {
    text: (first) =>
      `insert into ledger_pending (subjects, digests) values ($${first}, $${first + 1}) returning number`,
    values: [binaryList('text', subjects), digests],
  };
}

const ENTRIES_OF_ROW = 1_000;

/** Queues this many entries without a subject. */
export function queueingWithoutSubject(calls: number): { text: (first: number) => string; values: Buffer[] } {
  const rows = Array.from({ length: Math.ceil(calls / ENTRIES_OF_ROW) }, (_, at) =>
    Math.min(ENTRIES_OF_ROW, calls - at * ENTRIES_OF_ROW),
  );
  const digest = digestOf(NOBODYS_TEXT).toString('hex');
  return {
    text: (first) =>
      `insert into ledger_pending (subjects, digests)
      select array_fill('${NOBODY}'::text, array[entries]), decode(repeat('${digest}', entries), 'hex')
      from unnest($${first}::integer[]) entries`,
    values: [binaryList('integer', rows)],
  };
}

/** SQL for the entry of a call in the row of this number, and for the row and the place of an entry. */
export const entrySql = (number: string, place: string): string => `${number} * ${CALLS_PER_ROW} + ${place}`;
export const batchSql = (entry: string): string => `${entry} >> 16`;
export const placeSql = (entry: string): string => `(${entry} & 65535)::integer`;

export function isPending(sql: Sql): Promise<boolean> {
  return readValue(sql, { text: 'select exists (select from ledger_pending) as pending', prepare: true });
}

export interface Waiting {
  entries: number;
  /** Seconds since the oldest was recorded, by the database's clock; 0 if none waits. */
  oldestSeconds: number;
}

/** Number and age of the entries that wait to be appended. */
export function readWaiting(sql: Sql): Promise<Waiting> {
  // The length of `digests` is known without reading them.
  const text = `select coalesce(sum(coalesce(octet_length(digests) / ${DIGEST_BYTES}, 1)), 0)::bigint as entries,
      greatest(coalesce(extract(epoch from clock_timestamp() - min(at)), 0), 0)::float8 as "oldestSeconds"
    from ledger_pending`;
  return readRow(sql, { text });
}

/** The newest row that waits; 0 if there is none. */
export function newestPending(sql: Sql): Promise<number> {
  return readValue(sql, { text: 'select coalesce(max(number), 0) as newest from ledger_pending' });
}

/** Whether a row up to this number still waits. */
export async function isPendingUpTo(sql: Sql, number: number): Promise<boolean> {
  const text = 'select exists (select from ledger_pending where number <= $1) as pending';
  return readValue<boolean>(sql, { text, values: [number] });
}

/** The oldest rows. Transactions that are still open may add rows with lower numbers. */
export function readPending(sql: Sql, max: number): Promise<Pending[]> {
  // As JSON, because parsed lists of text are cached.
  const text = `select number, to_json(subjects) as subjects, digests, source, event::text as event from ledger_pending order by number limit $1`;
  return sql.query<Pending>({ text, values: [max], prepare: true });
}

export async function deletePending(sql: Sql, numbers: readonly number[]): Promise<void> {
  await sql.query({ text: 'delete from ledger_pending where number = any($1)', values: [numbers], prepare: true });
}
