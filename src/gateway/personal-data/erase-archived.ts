// Gateway: removes erased clients from the archive of the access record.
import { listArchivedErased, noteUnarchived } from '#repositories/personal-data/erased-subjects.ts';
import { noteErasedCalls } from '#repositories/personal-data/recorded-traces.ts';
import { type RecordArchive, removeClientFromArchive } from '#repositories/record-archive/client-removal.ts';

/**
 * Removes every erased client that its files may still contain, and returns the number of clients. The ledger records
 * their entries as erased before a file is replaced; an interrupted run is continued by the next. Throws an
 * ArchiveFault where a file is missing or damaged, or where the directory of an existing archive is not known.
 */
export async function eraseArchived(archive: RecordArchive): Promise<number> {
  const { database } = archive;
  const erased = await listArchivedErased(database);
  for (const id of erased) {
    const note = (entries: readonly number[]) => noteErasedCalls(database, entries);
    const noteCalls = (calls: readonly { entry: number }[]) => note(calls.map(({ entry }) => entry));
    await removeClientFromArchive(archive, id, noteCalls, (sql) => noteUnarchived(sql, id));
  }
  return erased.length;
}
