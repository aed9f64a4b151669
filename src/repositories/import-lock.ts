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
  if (await readValue<boolean>(sql, { text: `select pg_try_advisory_xact_lock(${LOCK}) as taken` })) return;
  onWait();
  await sql.query({ text: `select pg_advisory_xact_lock(${LOCK})` });
}
