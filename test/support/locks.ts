// Test support: waits until a statement is blocked, so that a test decides the order of concurrent statements.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '#database/database.ts';

/**
 * SQL for the number of statements of this database that wait for a lock of this kind, as `waits`. Other databases of
 * the server belong to tests that run at the same time, and their tables have the same identifiers.
 */
export const waitsFor = (what: { table: string } | 'advisory'): string =>
  `select count(*)::int as waits from pg_locks where not granted
    and database = (select oid from pg_database where datname = current_database())
    and ${what === 'advisory' ? "locktype = 'advisory'" : `relation = '${what.table}'::regclass`}`;

/** Waits until so many statements in this database wait for locks. */
export async function untilBlocked(database: Sql, statements = 1): Promise<void> {
  const text = `select count(*)::int as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  for (;;) {
    const [row] = await database.query<{ waiting: number }>({ text });
    if ((row?.waiting ?? 0) >= statements) return;
    await sleep(5);
  }
}
