// Database: the lock on the directory of an embedded PostgreSQL.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** SQLite's error code when another process holds the lock. */
const BUSY = 5;

/** Keeps the lock objects reachable, because a lock ends when its object is collected. */
const locks = new Set<DatabaseSync>();

/**
 * Locks the directory for this process and returns a function that unlocks it; null where another process holds the
 * lock. It is a kernel lock on a file, which ends with its process in any case, and which works between containers too.
 * Node offers such locks only through SQLite; nothing is stored in the file.
 */
export function lockDirectory(directory: string): (() => void) | null {
  const path = join(directory, 'owner.lock');
  let file: DatabaseSync | undefined;
  try {
    file = new DatabaseSync(path);
    file.exec('begin exclusive');
  } catch (error) {
    file?.close();
    const { errcode, message } = error as Error & { errcode?: number };
    if (errcode === BUSY) return null;
    throw new Error(`${path} cannot be locked: ${message}`, { cause: error });
  }
  const lock = file;
  locks.add(lock);
  return () => {
    locks.delete(lock);
    lock.close();
  };
}
