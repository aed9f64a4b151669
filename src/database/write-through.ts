// Database: flushes files and directories to disk.
import { open } from 'node:fs/promises';

/** Flushes the file's content, or the directory's entries, so that they survive a crash of the machine. */
export async function writeThrough(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
