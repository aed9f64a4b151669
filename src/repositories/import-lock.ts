// Repositories: the lock that serialises imports, and anything that must not happen between an import's checks and its
// writes.
import type { Sql } from '#database/database.ts';
import { readValue } from '#database/rows.ts';

const LOCK = `hashtextextended('portico import', 0)`;

/**
 * Waits for a running import, and keeps others from starting until the transaction ends. Calls `onWait` if it has to
 * wait.
 */
export async function lockImports(sql: Sql, onWait: () => void = () => {}): Promise<void> {
  if (await tryLockImports(sql)) return;
  onWait();
  await sql.query({ text: `select pg_advisory_xact_lock(${LOCK})` });
}

/** The same without a wait: false if there is a running import or erasure. */
export const tryLockImports = (sql: Sql): Promise<boolean> =>
  readValue(sql, { text: `select pg_try_advisory_xact_lock(${LOCK}) as taken` });
