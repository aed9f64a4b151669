// Gateway: takes erased clients out of the archive of the access record.
import { listArchivedErased, noteUnarchived } from '#repositories/personal-data/erased-subjects.ts';
import { noteErasedCalls } from '#repositories/personal-data/recorded-traces.ts';
import { type RecordArchive, removeClientFromArchive } from '#repositories/record-archive/client-removal.ts';

/**
 * Takes out every erased client whom its files may still have, and returns how many there were. The ledger knows that their entries
 * are erased before a file is without them; where it ends in between, the next turn goes on. Throws an ArchiveFault where a file is missing or
 * damaged, or where there is an archive and its directory is not known.
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
