// Repositories: retention of the access record by months: created ahead, and archived and dropped when they expire.
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '#core/timestamps.ts';
import type { Database, Sql } from '#database/database.ts';
import { readColumn, readValue } from '#database/rows.ts';
import { readServerClock } from '../database-health.ts';
import { deleteUnlocked } from '../delete-unlocked.ts';
import { archiveMonth, beginArchiving, isArchived, removeMonthsBefore } from '../record-archive/archive-month.ts';
import { withLease } from './lease.ts';
import { NUMBERED_TABLES } from './numbers.ts';
import { addMonths, listDetached, listMonths, type Month, transactionsOn } from './partitions.ts';

/** How many months are created in advance. */
const AHEAD = 2;
/** Writers that have saved nothing for so long are deleted. */
const WRITER_DAYS = 30;
/** Gateways of the previous release write to access_records. After so many days without a row there are none left. */
const QUIET_DAYS = 2;
const MAX_FORGOTTEN = 10_000;
/** A transaction younger than this does not delay a detach for long. */
const BRIEF_MS = 500;
/** If a transaction reads for longer, the month is not dropped until the next run. */
const MAX_READER_MS = 60_000;

/** Days of retention, as configured; forever where there is no value. */
export interface Retention {
  /** Calls about clients, as the clients see them. */
  accessRecordDays?: number | undefined;
  /** Refused calls that no grant joined to a client, as firms see them. */
  refusedCallsDays?: number | undefined;
  /** Directory in which expired months of the clients' record are archived; without it there is no archive. */
  recordArchive?: string | undefined;
  /** Files in that directory. */
  recordArchiveDays?: number | undefined;
}

/** Names of partitions. */
export interface RetentionResult {
  added: string[];
  dropped: string[];
  /** Those of `dropped` that are now in the archive. */
  archived: string[];
  /** Archived months whose retention has expired. */
  removed: string[];
  /** Expired, but not dropped: the record has an archive that this process was not configured with. */
  left: string[];
}

/**
 * Creates the months ahead and drops those that are past their retention. If there is an archive, months of the
 * clients' record are dropped only once they are archived. Runs in one process at a time; null if another process is
 * running it. It blocks neither readers nor writers: partitions are attached, and detached concurrently. `signal`
 * aborts the writing of a month, without loss.
 */
export function applyRetention(
  database: Database,
  retention: Retention,
  signal?: AbortSignal,
): Promise<RetentionResult | null> {
  return withLease(database, (sql) => createAndDropMonths(sql, retention, signal));
}

async function createAndDropMonths(sql: Sql, retention: Retention, signal?: AbortSignal): Promise<RetentionResult> {
  const text = `select (date_trunc('month', now() at time zone 'UTC') + ahead * interval '1 month')::date as month
    from generate_series(0, $1::int) ahead`;
  const ahead = await readColumn<string>(sql, { text, values: [AHEAD] });
  const added = await addMonths(sql, ahead);
  const result: RetentionResult = { added, dropped: [], archived: [], removed: [], left: [] };
  try {
    await dropMonths(sql, retention, result, signal);
  } finally {
    // A month that cannot be archived stays, and does not delay the others.
    await forget(sql);
  }
  return result;
}

/** A month that cannot be archived or dropped does not prevent others from being so. */
async function dropMonths(
  sql: Sql,
  retention: Retention,
  result: RetentionResult,
  signal?: AbortSignal,
): Promise<void> {
  const { accessRecordDays, refusedCallsDays, recordArchive, recordArchiveDays } = retention;
  // The earlier of the two clocks: a drop cannot be undone, whereas a wrong clock will be corrected.
  const now = Math.min(await readServerClock(sql), Date.now());
  const isOver = ({ until }: Month, days: number | undefined) =>
    days !== undefined && Date.parse(until) <= now - days * DAY_MS;
  const months = [...(await listMonths(sql)), ...(await listDetached(sql))];
  const ended = months.filter((month) =>
    isOver(month, month.table === 'access_calls' ? accessRecordDays : refusedCallsDays),
  );
  let failure: unknown = null;
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    signal?.throwIfAborted();
    try {
      await work();
    } catch (error) {
      failure ??= error;
    }
  };
  const end = (month: Month, copy: Copy | null) =>
    attempt(async () => {
      if (!(await drop(sql, month, copy, signal))) return;
      result.dropped.push(month.name);
      if (copy !== null) result.archived.push(month.name);
    });
  // Detached under a shorter retention than the present one.
  for (const month of months)
    if (month.state !== 'attached' && !ended.includes(month))
      await attempt(async () => void result.added.push(...(await addMonths(sql, [month.from], [month.table]))));
  for (const month of ended) if (month.table === 'firm_refusals') await end(month, null);
  const over = ended.filter(({ table }) => table === 'access_calls');
  if (recordArchive === undefined && (await isArchived(sql))) result.left.push(...over.map(({ name }) => name));
  else if (recordArchive === undefined) for (const month of over) await end(month, null);
  else {
    if (recordArchiveDays !== undefined) {
      const instant = new Date(now - recordArchiveDays * DAY_MS);
      result.removed.push(...(await removeMonthsBefore(sql, recordArchive, instant)));
    }
    await beginArchiving(sql, recordArchive);
    for (const month of over)
      if (isOver(month, recordArchiveDays)) await end(month, null);
      else await end(month, () => archiveMonth(sql, recordArchive, month, signal));
  }
  if (failure !== null) throw failure;
}

/** Archives a month. Called again once it takes no more writes, so that exactly the dropped rows are archived. */
type Copy = () => Promise<void>;

/** Returns whether the month was dropped. */
async function drop(sql: Sql, month: Month, copy: Copy | null, signal?: AbortSignal): Promise<boolean> {
  const { table, name, state } = month;
  if (state === 'attached') {
    await copy?.();
    await awaitReaders(sql, month, signal);
    await sql.query({ text: `alter table ${table} detach partition ${name} concurrently` });
  } else if (state === 'leaving')
    await sql.query({ text: 'select finish_access_detach($1, $2)', values: [table, name] });
  // If that fails, late calls are in no file, and no reader would see them in a detached month.
  await copy?.().catch(async (error: unknown) => {
    await addMonths(sql, [month.from], [table]).catch(() => {});
    throw error;
  });
  return dropDetached(sql, name);
}

/**
 * A detach waits for the transactions that have read or written the table, and until it is done no late call can be
 * saved to the month. So it starts only when all remaining transactions are short. Throws if some are not.
 */
async function awaitReaders(sql: Sql, { table, name }: Month, signal?: AbortSignal): Promise<void> {
  const deadline = performance.now() + MAX_READER_MS;
  let before = await transactionsOn(sql, table);
  while (before.length > 0) {
    await sleep(BRIEF_MS, undefined, { signal });
    const now = await transactionsOn(sql, table);
    if (!now.some((one) => before.includes(one))) return;
    if (performance.now() > deadline)
      throw new Error(
        `${name} is past its retention but cannot be dropped yet: an open transaction has read ${table}; the next run tries again`,
      );
    before = now;
  }
}

/**
 * False if the month was attached again to save a late call. It then contains calls that are not archived, and is
 * dropped in the next run.
 */
async function dropDetached(sql: Sql, name: string): Promise<boolean> {
  const text = `do $$ begin
    lock table ${name} in access exclusive mode;
    if not (select relispartition from pg_class where oid = '${name}'::regclass) then drop table ${name}; end if;
  end $$`;
  await sql.query({ text });
  return readValue<boolean>(sql, { text: 'select to_regclass($1) is null as dropped', values: [name] });
}

/**
 * Deletes numbers that no remaining month uses, stale writers, and the rows of the record's former table once no
 * gateway writes to it.
 */
async function forget(sql: Sql): Promise<void> {
  const [oldest] = [...(await listMonths(sql)), ...(await listDetached(sql))].map(({ from }) => from).sort();
  if (oldest !== undefined)
    for (const table of NUMBERED_TABLES)
      await deleteUnlocked(
        sql,
        table,
        `where seen < ($1::timestamptz at time zone 'UTC')::date - 1 limit ${MAX_FORGOTTEN}`,
        [oldest],
      );
  await sql.query({ text: `delete from access_writers where saved_at < now() - interval '${WRITER_DAYS} days'` });
  // Not truncated, which would count as a change of all portfolios (change_tracking, Migration0017).
  await sql.query({
    text: `delete from access_records where not exists (
      select from access_records where at > now() - interval '${QUIET_DAYS} days')`,
  });
}
