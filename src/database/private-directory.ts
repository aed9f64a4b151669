// Database: directories of one user below the one for temporary files, in which everybody may create entries.
import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Creates the directory if it does not exist. Another user could have created it first, with whatever content: throws
 * where its owner is neither this user nor `owner`, or others have access to it.
 */
export function privateDirectory(name: string, owner?: number): string {
  const path = join(tmpdir(), name);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  // Of a link itself: its target may be exchanged later.
  const { uid, mode } = lstatSync(path);
  if ((uid !== owner && uid !== process.getuid?.()) || (mode & 0o077) !== 0)
    throw new Error(`${path} is accessible to others than its owner`);
  return path;
}

/** The directory of the compiled modules of this user's processes; null where it cannot be private. */
export function compileCacheDirectory(): string | null {
  try {
    return privateDirectory(`portico-cache-${process.getuid?.()}`);
  } catch {
    return null;
  }
}
