// Database: files and directories that are on the disk, not only on their way to it.
import { open } from 'node:fs/promises';

/** What was written to the file, or the names that were given in the directory, are there after a crash of the machine, too. */
export async function writeThrough(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
