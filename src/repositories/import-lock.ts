// Repositories: one at a time: imports, and what must not come between what an import checks and what it writes.
import type { Sql } from '#database/database.ts';

const LOCK = `hashtextextended('portico import', 0)`;

/** Waits for the import that is at work, and keeps others from beginning until the transaction ends. `onWait`: told where there is one. */
export async function holdImports(sql: Sql, onWait: () => void = () => {}): Promise<void> {
  const [lock] = await sql.query<{ taken: boolean }>({ text: `select pg_try_advisory_xact_lock(${LOCK}) as taken` });
  if (lock?.taken === true) return;
  onWait();
  await sql.query({ text: `select pg_advisory_xact_lock(${LOCK})` });
}
