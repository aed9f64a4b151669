// Repositories: removes a client from the archive, as part of an erasure.
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
  /** RECORD_ARCHIVE; null if it is not set. */
  directory: string | null;
  /** Aborts the long parts, without loss: waiting for the lease, and the writing of a month. */
  signal?: AbortSignal;
}

export interface RemovedFromArchive {
  /** Months that were rewritten, and the number of the client's calls in them. */
  months: string[];
  calls: number;
}

/**
 * Rewrites each month that has calls of the client without them, and removes the file that it replaces; afterwards no
 * file in the directory has any. To be called after the deletion of the client's calls in the database is committed: it
 * waits for a month that is being archived, which may contain calls read before. It may be repeated, also after a
 * crash; each month is replaced as a whole. Copies elsewhere, such as backups of the directory, are the operator's
 * responsibility.
 *
 * `onCalls` receives the calls, some thousands at a time, before their file is replaced. `onRemoved` is called before
 * another process can archive.
 *
 * Throws an ArchiveFault if a month is missing or damaged, or if there is an archive and `directory` is null; earlier
 * months are then done.
 */
export function removeClientFromArchive(
  archive: RecordArchive,
  clientId: string,
  onCalls: (calls: readonly ArchivedCall[]) => Promise<void> = async () => {},
  onRemoved: (sql: Sql) => Promise<void> = async () => {},
): Promise<RemovedFromArchive> {
  const { database, signal } = archive;
  const work = async (sql: Sql) => {
    const removed = await removeFromMonths(sql, archive, clientId, onCalls);
    await onRemoved(sql);
    return removed;
  };
  return awaitLease(database, work, signal);
}

async function removeFromMonths(
  sql: Sql,
  { directory, signal }: RecordArchive,
  clientId: string,
  onCalls: (calls: readonly ArchivedCall[]) => Promise<void>,
): Promise<RemovedFromArchive> {
  const removed: RemovedFromArchive = { months: [], calls: 0 };
  const months = await listArchivedMonths(sql, directory);
  for (const month of months) requireManifest(month, directory);
  if (directory === null) {
    // A file may exist that the database does not know of yet.
    if (await isArchived(sql))
      throw new ArchiveFault('RECORD_ARCHIVE is not set: set it to the directory of the archive');
    return removed;
  }
  await requireDirectory(directory, 'write');
  // Files without a manifest come from processes that crashed, and may contain the client.
  await sweep(directory, { uncommitted: true });
  for (const month of months) {
    signal?.throwIfAborted();
    const manifest = requireManifest(month, directory);
    if (!(await forwardCalls(directory, manifest, clientId, async () => {}))) continue;
    const { name, from, until } = manifest;
    await using thread = new MonthThread({ directory, name, from, until, before: manifest, without: clientId }, signal);
    const written = await thread.finish();
    if (written.rows + written.left !== manifest.rows)
      throw new Error(`${name} had ${manifest.rows} calls, but ${written.rows + written.left} were read`);
    // Called last, since everything before it may fail and be repeated.
    await forwardCalls(directory, manifest, clientId, onCalls);
    await commitMonth(sql, directory, manifest, written);
    removed.months.push(name);
    removed.calls += written.left;
  }
  return removed;
}

/** Passes the client's calls in the month to `onCalls`. */
async function forwardCalls(
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
