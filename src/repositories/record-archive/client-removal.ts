// Repositories: removes erased clients from the archive of the record.
import type { Database, Sql } from '#database/database.ts';
import { awaitLease } from '../access-record/lease.ts';
import { listArchivedErased, noteUnarchived } from '../personal-data/erased-subjects.ts';
import { noteErasedCalls } from '../personal-data/recorded-traces.ts';
import { commitMonth, isArchived } from './archive-month.ts';
import { listArchivedMonths, requireManifest } from './archived-months.ts';
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

/**
 * Removes every erased client that the files may still contain, and returns the number of clients. An interrupted run
 * is continued by the next. Throws an ArchiveFault as `removeClientFromArchive` does.
 */
export async function eraseArchived(archive: RecordArchive): Promise<number> {
  const erased = await listArchivedErased(archive.database);
  for (const id of erased) await removeClientFromArchive(archive, id);
  return erased.length;
}

/**
 * Rewrites each month that has calls of the client without them, and removes the file that it replaces; afterwards no
 * file in the directory has any. The ledger records their entries as erased before a file is replaced. To be called
 * after the deletion of the client's calls in the database is committed: it waits for a month that is being archived,
 * which may contain calls read before. It may be repeated, also after a crash; each month is replaced as a whole.
 * Copies elsewhere, such as backups of the directory, are the operator's responsibility.
 *
 * Throws an ArchiveFault if a month is missing or damaged, or if there is an archive and `directory` is null; earlier
 * months are then done.
 */
export function removeClientFromArchive(archive: RecordArchive, clientId: string): Promise<void> {
  const work = async (sql: Sql) => {
    await removeFromMonths(sql, archive, clientId);
    // Before another process can archive.
    await noteUnarchived(sql, clientId);
  };
  return awaitLease(archive.database, work, archive.signal);
}

async function removeFromMonths(sql: Sql, { directory, signal }: RecordArchive, clientId: string): Promise<void> {
  const manifests = (await listArchivedMonths(sql, directory)).map((month) => requireManifest(month, directory));
  if (directory === null) {
    // A file may exist that the database does not know of yet.
    if (await isArchived(sql))
      throw new ArchiveFault('RECORD_ARCHIVE is not set: set it to the directory of the archive');
    return;
  }
  await requireDirectory(directory, 'write');
  // Files without a manifest come from processes that crashed, and may contain the client.
  await sweep(directory, { uncommitted: true });
  for (const manifest of manifests) {
    signal?.throwIfAborted();
    const entries = await entriesOf(directory, manifest, clientId);
    if (entries.length === 0) continue;
    const { name, from, until } = manifest;
    await using thread = new MonthThread({ directory, name, from, until, before: manifest, without: clientId }, signal);
    const written = await thread.finish();
    if (written.rows + written.left !== manifest.rows)
      throw new Error(`${name} had ${manifest.rows} calls, but ${written.rows + written.left} were read`);
    // Noted last, since everything before it may fail and be repeated. In parts, each within a statement's timeout.
    for (const part of entries) await noteErasedCalls(sql, part);
    await commitMonth(sql, directory, manifest, written);
  }
}

/** Entries of the client's calls in the month, some thousands at a time; 0 for calls from before the ledger. */
async function entriesOf(directory: string, manifest: Manifest, clientId: string): Promise<number[][]> {
  await using file = await openMonth(directory, manifest);
  return Array.fromAsync(file.callsOf(clientId), (calls) => calls.map(({ entry }) => entry));
}
