// Repositories: keeps the months of the access record: made ahead, and archived and dropped when they were kept for long enough.
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '#core/timestamps.ts';
import type { Database, Sql } from '#database/database.ts';
import { archiveMonth, beginArchiving, isArchived, removeMonthsBefore } from '../record-archive/archive-month.ts';
import { withLease } from './lease.ts';
import { addMonths, listDetached, listMonths, type Month, transactionsOn } from './partitions.ts';

const NUMBERED = ['access_keys', 'access_pairs', 'access_shapes', 'access_origins'] as const;

/** Months after the present one that are there already. */
const AHEAD = 2;
/** Writers that have saved nothing for so long are gone. */
const WRITER_DAYS = 30;
/** Gateways of the release before write to access_records; where none has for so long, there is none. */
const QUIET_DAYS = 2;
const MAX_FORGOTTEN = 10_000;
/** A transaction that has gone on for less holds no detach up for long. */
const BRIEF_MS = 500;
/** Somebody who reads for longer has a month stay until the next time. */
const READERS_MS = 60_000;

/** For how many days what is kept; null: for ever. */
export interface Retention {
  /** Calls about clients, as the clients see them. */
  recordDays: number | null;
  /** Refused calls that no grant joined to a client, as firms see them. */
  refusalDays: number | null;
  /** Where the clients' record goes when it is over, and for how many days files are kept; absent: nowhere. */
  archive?: { directory: string; days: number | null } | null;
}

export interface RetentionSettings {
  accessRecordDays: number | undefined;
  refusedCallsDays: number;
  recordArchive: string | undefined;
  recordArchiveDays: number | undefined;
}

export const retentionOf = (config: RetentionSettings): Retention => ({
  recordDays: config.accessRecordDays ?? null,
  refusalDays: config.refusedCallsDays,
  archive:
    config.recordArchive === undefined
      ? null
      : { directory: config.recordArchive, days: config.recordArchiveDays ?? null },
});

/** Partitions, by name. */
export interface Kept {
  added: string[];
  dropped: string[];
  /** Of those dropped, months that are in the archive now. */
  archived: string[];
  /** Months whose files were kept for long enough. */
  removed: string[];
  /** Over, and still there: the record has an archive, which this process was not told of. */
  left: string[];
}

/**
 * Makes the months ahead and drops those that are over for longer than they are kept; with an archive, of the clients' record only
 * what it has. One process at a time does it; null where another does. Nobody who writes or reads waits for it: months are
 * attached, and detached concurrently. `signal` ends the writing of a month, of which nothing is lost then.
 */
export function keepMonths(database: Database, retention: Retention, signal?: AbortSignal): Promise<Kept | null> {
  return withLease(database, (sql) => keep(sql, retention, signal));
}

async function keep(sql: Sql, retention: Retention, signal?: AbortSignal): Promise<Kept> {
  const ahead = await sql.query<{ month: string }>({
    text: `select (date_trunc('month', now() at time zone 'UTC') + ahead * interval '1 month')::date as month
      from generate_series(0, $1::int) ahead`,
    values: [AHEAD],
  });
  const added = await addMonths(
    sql,
    ahead.map(({ month }) => month),
  );
  const kept: Kept = { added, dropped: [], archived: [], removed: [], left: [] };
  try {
    await dropMonths(sql, retention, kept, signal);
  } finally {
    // What cannot be archived stays, and holds nothing else up.
    await forget(sql);
  }
  return kept;
}

/** A month that cannot be archived or dropped holds up no other. */
async function dropMonths(sql: Sql, retention: Retention, kept: Kept, signal?: AbortSignal): Promise<void> {
  const { recordDays, refusalDays, archive = null } = retention;
  const [clock] = await sql.query<{ now: string }>({ text: 'select now() as now' });
  // By the clock that says less: what goes is gone, and a clock that was set wrong is set right again.
  const now = Math.min(Date.parse(clock?.now ?? ''), Date.now());
  const isOver = ({ until }: Month, days: number | null) => days !== null && Date.parse(until) <= now - days * DAY_MS;
  const months = [...(await listMonths(sql)), ...(await listDetached(sql))];
  const ended = months.filter((month) => isOver(month, month.table === 'access_calls' ? recordDays : refusalDays));
  let failure: unknown = null;
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    signal?.throwIfAborted();
    try {
      await work();
    } catch (error) {
      failure ??= error;
    }
  };
  const end = (month: Month, copy: (() => Promise<void>) | null) =>
    attempt(() => drop(sql, month, { kept, copy, signal }));
  // Whoever began to take them away kept months for a shorter time than they are kept for now.
  for (const month of months)
    if (month.state !== 'attached' && !ended.includes(month))
      await attempt(async () => void kept.added.push(...(await addMonths(sql, [month.from], [month.table]))));
  for (const month of ended) if (month.table === 'firm_refusals') await end(month, null);
  const over = ended.filter(({ table }) => table === 'access_calls');
  if (archive === null && (await isArchived(sql))) kept.left.push(...over.map(({ name }) => name));
  else if (archive === null) for (const month of over) await end(month, null);
  else {
    if (archive.days !== null)
      kept.removed.push(...(await removeMonthsBefore(sql, archive.directory, new Date(now - archive.days * DAY_MS))));
    await beginArchiving(sql, archive.directory);
    for (const month of over)
      if (isOver(month, archive.days)) await end(month, null);
      else await end(month, () => archiveMonth(sql, archive.directory, month, signal));
  }
  if (failure !== null) throw failure;
}

interface Drop {
  kept: Kept;
  /** It is called again once nobody can write to the month any more: what it finds then is what is dropped. */
  copy: (() => Promise<void>) | null;
  signal: AbortSignal | undefined;
}

async function drop(sql: Sql, month: Month, { kept, copy, signal }: Drop): Promise<void> {
  const { table, name, state } = month;
  if (state === 'attached') {
    await copy?.();
    await awaitReaders(sql, month, signal);
    await sql.query({ text: `alter table ${table} detach partition ${name} concurrently` });
  } else if (state === 'leaving')
    await sql.query({ text: 'select finish_access_detach($1, $2)', values: [table, name] });
  // What came late is in no file where that fails, and nobody would see it in a month that is detached.
  await copy?.().catch(async (error: unknown) => {
    await addMonths(sql, [month.from], [table]).catch(() => {});
    throw error;
  });
  if (!(await dropDetached(sql, name))) return;
  kept.dropped.push(name);
  if (copy !== null) kept.archived.push(name);
}

/**
 * A detach waits for the transactions that have read or written the table, and until it is done no call that comes late can be
 * saved to the month. So it begins once those that go on are brief ones. Throws where some are not.
 */
async function awaitReaders(sql: Sql, { table, name }: Month, signal?: AbortSignal): Promise<void> {
  const deadline = performance.now() + READERS_MS;
  let before = await transactionsOn(sql, table);
  while (before.length > 0) {
    await sleep(BRIEF_MS, undefined, { signal });
    const now = await transactionsOn(sql, table);
    if (!now.some((one) => before.includes(one))) return;
    if (performance.now() > deadline)
      throw new Error(`${name} is over and stays for now: a transaction that has read ${table} goes on`);
    before = now;
  }
}

/** False where whoever saved a call that came late has attached it again: it has calls then that nobody has copied, and goes the next time. */
async function dropDetached(sql: Sql, name: string): Promise<boolean> {
  await sql.query({
    text: `do $$ begin
      lock table ${name} in access exclusive mode;
      if not (select relispartition from pg_class where oid = '${name}'::regclass) then drop table ${name}; end if;
    end $$`,
  });
  const [left] = await sql.query<{ dropped: boolean }>({
    text: 'select to_regclass($1) is null as dropped',
    values: [name],
  });
  return left?.dropped === true;
}

/** What no month that is kept names any more, writers that are gone, and the record's former table once nobody writes there. */
async function forget(sql: Sql): Promise<void> {
  const [oldest] = [...(await listMonths(sql)), ...(await listDetached(sql))].map(({ from }) => from).sort();
  if (oldest !== undefined)
    for (const table of NUMBERED)
      await sql.query({
        text: `delete from ${table} where number in (
          select number from ${table} where seen < ($1::timestamptz at time zone 'UTC')::date - 1 limit ${MAX_FORGOTTEN})`,
        values: [oldest],
      });
  await sql.query({ text: `delete from access_writers where saved_at < now() - interval '${WRITER_DAYS} days'` });
  const [former] = await sql.query<{ done: boolean }>({
    text: `select exists (select from access_records)
      and not exists (select from access_records where at > now() - interval '${QUIET_DAYS} days') as done`,
  });
  if (former?.done === true) await sql.query({ text: 'truncate access_records' });
}
