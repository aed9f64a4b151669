// Repositories: reads a month's partition from beginning to end, concurrently with writers.
import { unpackNumbers } from '#core/disclosure.ts';
import type { Sql } from '#database/database.ts';
import { readRow } from '#database/rows.ts';
import { CALL_COLUMNS, CALL_NAMES } from '../access-record/call-sql.ts';
import { itemsByNumber } from '../access-record/item-names.ts';
import type { Source } from './manifest.ts';
import type { AddedRows, RowOfCall } from './month-jobs.ts';

/** Rows per fetch: few enough that unpacking does not block the process for long. */
const FETCHED = 500;
const MAX_NAMES = 200_000;

/** Number of rows, and the sum of hashes of their contents. Equal values mean equal rows. */
function readSource(sql: Sql, partition: string): Promise<Source> {
  const text = `select count(*) as rows, coalesce(sum(hashtextextended(r::text, 0)), 0)::text as digest from ${partition} r`;
  return readRow(sql, { text });
}

/** To be called outside of a transaction. */
export function sourceOf(sql: Sql, partition: string): Promise<Source> {
  return inSnapshot(sql, () => readSource(sql, partition));
}

/**
 * Passes all rows to `add`, by client and then oldest first, and returns the number and sum of rows. Throws an Error if
 * a row references a number that the database does not have.
 */
export function readPartition(
  sql: Sql,
  partition: string,
  add: (rows: AddedRows) => Promise<void>,
  signal?: AbortSignal,
): Promise<Source> {
  return inSnapshot(sql, async () => {
    const source = await readSource(sql, partition);
    const named = new Set<number>();
    let given = 0;
    await sql.query({ text: `declare archived no scroll cursor for ${selectFrom(partition)}` });
    for (;;) {
      signal?.throwIfAborted();
      const rows = await sql.query<RowOfCall>({ text: `fetch ${FETCHED} from archived` });
      if (rows.length === 0) break;
      given += rows.length;
      const forget = named.size > MAX_NAMES;
      if (forget) named.clear();
      await add({ rows, names: await namesOf(sql, rows, named), forget });
    }
    if (given !== source.rows)
      throw new Error(`${source.rows - given} calls of ${partition} name keys, clients or endpoints that do not exist`);
    return source;
  });
}

const selectFrom = (partition: string) => `select r.id::text as id, ${CALL_COLUMNS}, s.param, s.message, r.related,
    encode(r.items, 'hex') as items, encode(nullif(r.removed, ''), 'hex') as removed, r.took_us as "tookUs",
    o.address, o.user_agent as "userAgent", r.entry
  from ${partition} r ${CALL_NAMES} left join access_origins o on o.number = r.origin
  order by p.client_id, r.at, r.id`;

/** Names of items that are not in `named` yet; adds them to it. */
async function namesOf(sql: Sql, rows: readonly RowOfCall[], named: Set<number>): Promise<[number, string][]> {
  const missing = new Set<number>();
  for (const { items, removed } of rows)
    for (const packed of [items, removed])
      if (packed !== null)
        for (const number of unpackNumbers(Buffer.from(packed, 'hex'))) if (!named.has(number)) missing.add(number);
  if (missing.size === 0) return [];
  for (const number of missing) named.add(number);
  const found = await itemsByNumber(sql, [...missing].map(String));
  return [...found].map(([number, { registryId }]) => [Number(number), registryId]);
}

/** Runs in one read-only snapshot. It writes nothing, so that it blocks no other transaction and holds back no change. */
async function inSnapshot<Result>(sql: Sql, work: () => Promise<Result>): Promise<Result> {
  await sql.query({ text: 'begin isolation level repeatable read read only' });
  try {
    await sql.query({ text: 'set local statement_timeout = 0' });
    const result = await work();
    await sql.query({ text: 'commit' });
    return result;
  } catch (error) {
    await sql.query({ text: 'rollback' }).catch(() => {});
    throw error;
  }
}
