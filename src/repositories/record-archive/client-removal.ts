// Repositories: takes a client out of the archive, as an erasure needs it.
import type { Database, Sql } from '#database/database.ts';
import { awaitLease } from '../access-record/lease.ts';
import { commitMonth, isArchived } from './archive-month.ts';
import { listArchivedMonths, requireManifest } from './archived-months.ts';
import type { ArchivedCall } from './columns.ts';
import { ArchiveFault, type Manifest, requireDirectory, sweep } from './manifest.ts';
import { MonthThread } from './month-thread.ts';
import { openMonth } from './verified-file.ts';

export interface RecordArchive {
  database: Database;
  /** RECORD_ARCHIVE; null where it is not set. */
  directory: string | null;
  /** Ends what takes long: the waiting for others, and the writing of a month, of which nothing is lost then. */
  signal?: AbortSignal;
}

export interface RemovedFromArchive {
  /** Months that were written anew, and how many calls they had of the client. */
  months: string[];
  calls: number;
}

/**
 * Writes each month that has calls of the client anew without them, and removes the file that it replaces: afterwards no file of the
 * directory has any. To be called once the client's calls are deleted in the database and that is committed: it waits for a month
 * that is being archived, which may have read them before. May be repeated, also after it was killed; each month
 * is replaced as a whole. Copies elsewhere, such as backups of the directory, are the operator's.
 *
 * `onCalls` is given the calls, some thousands at a time, before the file that has them is replaced; `onRemoved` is called before
 * anybody else can archive.
 *
 * Throws an ArchiveFault where a month is missing or damaged, or where there is an archive and `directory` is null; months before it
 * are done then.
 */
export function removeClientFromArchive(
  archive: RecordArchive,
  clientId: string,
  onCalls: (calls: readonly ArchivedCall[]) => Promise<void> = async () => {},
  onRemoved: (sql: Sql) => Promise<void> = async () => {},
): Promise<RemovedFromArchive> {
  const { database, signal } = archive;
  const work = async (sql: Sql) => {
    const removed = await removeWithin(sql, archive, clientId, onCalls);
    await onRemoved(sql);
    return removed;
  };
  return awaitLease(database, work, signal);
}

async function removeWithin(
  sql: Sql,
  { directory, signal }: RecordArchive,
  clientId: string,
  onCalls: (calls: readonly ArchivedCall[]) => Promise<void>,
): Promise<RemovedFromArchive> {
  const removed: RemovedFromArchive = { months: [], calls: 0 };
  const months = await listArchivedMonths(sql, directory);
  for (const month of months) requireManifest(month, directory);
  if (directory === null) {
    // A file may be there of which the database is not told yet.
    if (await isArchived(sql)) throw new ArchiveFault('RECORD_ARCHIVE does not say where the archive is');
    return removed;
  }
  await requireDirectory(directory, 'write');
  // Files that no manifest names are of processes that were killed, and may have the client.
  await sweep(directory, { uncommitted: true });
  for (const month of months) {
    signal?.throwIfAborted();
    const manifest = requireManifest(month, directory);
    if (!(await tell(directory, manifest, clientId, async () => {}))) continue;
    const { name, from, until } = manifest;
    await using thread = new MonthThread({ directory, name, from, until, before: manifest, without: clientId }, signal);
    const written = await thread.finish();
    if (written.rows + written.left !== manifest.rows)
      throw new Error(`${name} had ${manifest.rows} calls, and ${written.rows + written.left} were read`);
    // Last of all: what fails before is tried again and again.
    await tell(directory, manifest, clientId, onCalls);
    await commitMonth(sql, directory, manifest, written);
    removed.months.push(name);
    removed.calls += written.left;
  }
  return removed;
}

/** Whether the month has calls of the client, all of which were told. */
async function tell(
  directory: string,
  manifest: Manifest,
  clientId: string,
  onCalls: (calls: readonly ArchivedCall[]) => Promise<void>,
): Promise<boolean> {
  await using file = await openMonth(directory, manifest);
  let has = false;
  for await (const calls of file.callsOf(clientId)) {
    has = true;
    await onCalls(calls);
  }
  return has;
}
