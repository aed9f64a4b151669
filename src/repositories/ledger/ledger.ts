// Repositories: storage of the ledger: its head, the positions of entries, salted hashes and tiles.
import type { QueryResultRow } from 'pg';
import type { StepSource } from '#core/ledger/entry-text.ts';
import { EMPTY_ROOT, leafHash, type ReadTile } from '#core/ledger/tree.ts';
import type { Sql } from '#database/database.ts';
import { findRow, findValue, hasRows, listsOf, readColumn, readRow } from '#database/rows.ts';

export const NUMBER_BYTES = 6;
const COMMITMENT_BYTES = 32;

export interface LedgerHead {
  origin: string;
  size: number;
  root: Buffer;
  /** Signed; null before the first one. */
  checkpoint: string | null;
}

const HEAD = 'select origin, size, root, checkpoint from ledger';

/** Null if nothing was ever appended. */
export function readHead(sql: Sql): Promise<LedgerHead | null> {
  return findRow(sql, { text: HEAD, prepare: true });
}

/** The same, locked until the transaction ends. Does not wait: null also if another transaction holds the lock. */
export function tryLockHead(sql: Sql): Promise<LedgerHead | null> {
  return findRow(sql, { text: `${HEAD} for update skip locked` });
}

/** Waits for that lock. */
export async function lockHead(sql: Sql): Promise<void> {
  await sql.query({ text: 'select from ledger for update' });
}

/** Timeout of each statement until the transaction ends. */
export async function limitStatements(sql: Sql, ms: number): Promise<void> {
  await sql.query({ text: `set local statement_timeout = ${ms}` });
}

/** How long the transaction may be idle between its statements. */
export async function limitIdleness(sql: Sql, ms: number): Promise<void> {
  await sql.query({ text: `set local idle_in_transaction_session_timeout = ${ms}` });
}

/** Begins the log under this name, unless it has begun. */
export async function insertHead(sql: Sql, origin: string): Promise<void> {
  const text = 'insert into ledger (origin, size, root) values ($1, 0, $2) on conflict do nothing';
  await sql.query({ text, values: [origin, EMPTY_ROOT] });
}

/** Throws if the log's size is not `from`, because another process has appended. */
export async function moveHead(
  sql: Sql,
  from: number,
  { size, root, checkpoint }: { size: number; root: Buffer; checkpoint: string },
): Promise<void> {
  const text =
    'update ledger set size = $2, root = $3, checkpoint = $4, appended_at = now_ms() where size = $1 returning size';
  if (!(await hasRows(sql, { text, values: [from, size, root, checkpoint] })))
    throw new Error('another process has appended to the ledger');
}

/**
 * Reserves this many numbers for each subject. `secret` becomes the subject's secret if it had no entry before. Returns
 * the last number reserved.
 */
export async function reserveNumbers(
  sql: Sql,
  wanted: readonly { subject: string; secret: Buffer; entries: number }[],
): Promise<Map<string, { secret: Buffer; last: number }>> {
  const rows = await sql.query<{ subject: string; secret: Buffer; last: number }>({
    text: `insert into ledger_subjects as s (subject, secret, entries)
      select * from unnest($1::text[], $2::bytea[], $3::bigint[])
      on conflict (subject) do update set entries = s.entries + excluded.entries
      returning subject, secret, entries as last`,
    values: listsOf(wanted, 'subject', 'secret', 'entries'),
  });
  return new Map(rows.map(({ subject, ...rest }) => [subject, rest]));
}

export interface StoredBatch {
  number: number;
  first: number;
  numbers: readonly number[];
}

function packEntryNumbers(numbers: readonly number[]): Buffer {
  const packed = Buffer.alloc(numbers.length * NUMBER_BYTES);
  numbers.forEach((number, at) => {
    packed.writeUIntBE(number, at * NUMBER_BYTES, NUMBER_BYTES);
  });
  return packed;
}

export async function insertBatches(sql: Sql, batches: readonly StoredBatch[]): Promise<void> {
  if (batches.length === 0) return;
  await sql.query({
    text: `insert into ledger_batches (number, first, entries, numbers, at)
      select *, now_ms() from unnest($1::bigint[], $2::bigint[], $3::integer[], $4::bytea[])`,
    values: [
      ...listsOf(batches, 'number', 'first'),
      batches.map(({ numbers }) => numbers.length),
      batches.map(({ numbers }) => packEntryNumbers(numbers)),
    ],
  });
}

export async function insertSteps(
  sql: Sql,
  steps: readonly { source: StepSource; event: string; leaf: number; number: number }[],
): Promise<void> {
  if (steps.length === 0) return;
  const text = `insert into ledger_steps (source, event, leaf, number)
    select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[])`;
  await sql.query({ text, values: listsOf(steps, 'source', 'event', 'leaf', 'number') });
}

/** Salted hashes of a bundle; empty if there is none. */
export async function readBundle(sql: Sql, index: number): Promise<Buffer> {
  const text = 'select commitments from ledger_bundles where index = $1';
  const bundle = await findValue<Buffer>(sql, { text, values: [index], prepare: true });
  return bundle ?? Buffer.alloc(0);
}

export async function writeBundles(sql: Sql, bundles: ReadonlyMap<number, Buffer>): Promise<void> {
  const text = `insert into ledger_bundles (index, commitments) select * from unnest($1::bigint[], $2::bytea[])
    on conflict (index) do update set commitments = excluded.commitments`;
  await sql.query({ text, values: [[...bundles.keys()], [...bundles.values()]] });
}

/** Level 1 and above; empty if there is none. */
export async function readStoredTile(sql: Sql, level: number, index: number): Promise<Buffer> {
  const text = 'select hashes from ledger_tiles where level = $1 and index = $2';
  const tile = await findValue<Buffer>(sql, { text, values: [level, index], prepare: true });
  return tile ?? Buffer.alloc(0);
}

export async function writeTiles(
  sql: Sql,
  tiles: readonly { level: number; index: number; hashes: Buffer }[],
): Promise<void> {
  if (tiles.length === 0) return;
  const text = `insert into ledger_tiles (level, index, hashes) select * from unnest($1::smallint[], $2::bigint[], $3::bytea[])
    on conflict (level, index) do update set hashes = excluded.hashes`;
  await sql.query({ text, values: listsOf(tiles, 'level', 'index', 'hashes') });
}

export const commitmentsIn = (bundle: Buffer): Buffer[] =>
  Array.from({ length: Math.floor(bundle.length / COMMITMENT_BYTES) }, (_, at) =>
    bundle.subarray(at * COMMITMENT_BYTES, (at + 1) * COMMITMENT_BYTES),
  );

/** Reads tiles of a smaller tree from its stored larger versions: each is a prefix of the stored tile. */
export const tilesOf =
  (sql: Sql): ReadTile =>
  async (level, index, width) => {
    if (level > 0) return readStoredTile(sql, level, index);
    const commitments = commitmentsIn(await readBundle(sql, index)).slice(0, width);
    return Buffer.concat(commitments.map(leafHash));
  };

export interface LedgerRange {
  /** Number of a row of calls; null for a step or an erased entry. */
  batch: number | null;
  first: number;
  entries: number;
  at: string | null;
}

/** Which leaves belong to which rows of calls or steps, ascending and in portions, within a transaction. */
export const readRanges = (sql: Sql): AsyncGenerator<LedgerRange[]> =>
  inPortions<LedgerRange>(
    sql,
    'ledger_ranges',
    `select number as batch, first, entries, at from ledger_batches
      union all select null, leaf, 1, null from ledger_steps order by first`,
  );

/** Leaves of erased entries, in portions, within a transaction. */
export async function* readErased(sql: Sql): AsyncGenerator<number[]> {
  for await (const rows of inPortions<{ leaves: Buffer }>(sql, 'erased_leaves', 'select leaves from ledger_erasures'))
    for (const { leaves } of rows) yield numbersIn(leaves);
}

/** For each entry of a row of calls, its number among those of its subject. */
export async function readEntryNumbers(sql: Sql, batch: number): Promise<number[]> {
  const text = 'select numbers from ledger_batches where number = $1';
  const packed = await findValue<Buffer>(sql, { text, values: [batch], prepare: true });
  return packed === null ? [] : numbersIn(packed);
}

const numbersIn = (packed: Buffer): number[] =>
  Array.from({ length: packed.length / NUMBER_BYTES }, (_, at) => packed.readUIntBE(at * NUMBER_BYTES, NUMBER_BYTES));

const PORTION = 10_000;

/** Reads the rows of `select` by a cursor of this name, which the transaction closes if not all of them are read. */
export async function* inPortions<Row extends QueryResultRow>(
  sql: Sql,
  name: string,
  select: string,
): AsyncGenerator<Row[]> {
  await sql.query({ text: `declare ${name} no scroll cursor for ${select}` });
  for (;;) {
    const rows = await sql.query<Row>({ text: `fetch ${PORTION} from ${name}` });
    if (rows.length === 0) break;
    yield rows;
  }
  await sql.query({ text: `close ${name}` });
}

/** Number of bundles, and of tiles of all levels. */
export function countStored(sql: Sql): Promise<{ bundles: number; tiles: number }> {
  const text = 'select (select count(*) from ledger_bundles) as bundles, (select count(*) from ledger_tiles) as tiles';
  return readRow(sql, { text });
}

/** Entries that wait to be appended: rows of calls such as `calls 7`, steps such as `grant_events 7`. */
export async function namesOfPending(sql: Sql): Promise<Set<string>> {
  const text = `select case when source is null then 'calls ' || number else source || ' ' || event end as name from ledger_pending`;
  return new Set(await readColumn<string>(sql, { text }));
}
