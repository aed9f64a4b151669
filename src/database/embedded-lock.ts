// Database: who owns the directory of an embedded PostgreSQL.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** What SQLite says where another holds the lock. */
const BUSY = 5;

/** A lock ends with the object that holds it, which nobody else may need. */
const held = new Set<DatabaseSync>();

/**
 * Takes the directory for this process and gives what lets go of it; null where another process has it. It is a lock of the kernel's
 * on a file in it, which ends with its process however that ends, and holds between containers too. Node takes such locks through
 * SQLite only; nothing is stored in the file.
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
  held.add(lock);
  return () => {
    held.delete(lock);
    lock.close();
  };
}
