// Gateway: takes erased clients out of the archive of the access record.
import { listArchivedErased, noteUnarchived } from '#repositories/personal-data/erased-subjects.ts';
import { noteErasedCalls } from '#repositories/personal-data/recorded-traces.ts';
import { type RecordArchive, removeClientFromArchive } from '#repositories/record-archive/client-removal.ts';

/**
 * Takes out every erased client whom its files may still have, and returns how many there were. The ledger knows that their entries
 * are erased before a file is without them; where it ends in between, the next turn goes on. Throws an ArchiveFault where a file is missing or
 * damaged, or where months were archived and the archive's directory is not known.
 */
export async function eraseArchived(archive: RecordArchive): Promise<number> {
  const { database } = archive;
  const erased = await listArchivedErased(database);
  for (const id of erased) {
    const note = (entries: readonly number[]) => noteErasedCalls(database, entries);
    await removeClientFromArchive(archive, id, (calls) => note(calls.map(({ entry }) => entry)));
    await noteUnarchived(database, id);
  }
  return erased.length;
}
