// Doctor: whether the archive of the access record is writable and has all of its files.
import type { Database } from '#database/database.ts';
import { listArchivedMonths, requireManifest } from '#repositories/record-archive/archived-months.ts';
import { faultIn, requireDirectory, requireFile } from '#repositories/record-archive/manifest.ts';
import { examining, type Finding } from './finding.ts';

/** Compares sizes; `access months --check` reads the files. */
export async function examineArchive(database: Database, directory: string): Promise<Finding[]> {
  const { wrong, orOk } = examining('record_archive');
  const examine = async (work: () => Promise<void>, advice: string) => {
    const fault = await faultIn(work);
    if (fault !== null) wrong(fault.message, advice);
  };
  let count = 0;
  await examine(async () => {
    await requireDirectory(directory, 'write');
    const months = await listArchivedMonths(database, directory);
    count = months.length;
    for (const month of months)
      await examine(
        () => requireFile(directory, requireManifest(month, directory)),
        'bring the file back: until then calls of that month cannot be listed (docs/record-archive.md)',
      );
  }, 'create or mount it, writable for the gateways: until then months stay in the database');
  return orOk(`the files of all ${count} archived month(s) are there`);
}
