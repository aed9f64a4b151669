// Test support: waits until a statement is blocked, so that a test decides the order of concurrent statements.
import type { Sql } from '#database/database.ts';

/** Waits until a statement in this database waits for a lock. */
export async function untilBlocked(database: Sql): Promise<void> {
  const text = `select count(*)::int as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  for (;;) {
    const [row] = await database.query<{ waiting: number }>({ text });
    if ((row?.waiting ?? 0) > 0) return;
  }
}
