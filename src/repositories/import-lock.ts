// Repositories: one at a time: imports, and what must not come between what an import checks and what it writes.
import type { Sql } from '#database/database.ts';

/** Waits for the import that is at work, and keeps others from beginning until the transaction ends. */
export async function holdImports(sql: Sql): Promise<void> {
  await sql.query({ text: `select pg_advisory_xact_lock(hashtextextended('portico import', 0))` });
}
