// Test support: changes rows without firing triggers or writing to the change log.
import type { Database, Sql } from '#database/database.ts';

/** Runs `work` in a transaction with all triggers disabled; it locks their tables until it ends. */
export async function withoutTriggers(database: Database, work: (sql: Sql) => Promise<unknown>): Promise<void> {
  await database.transaction(async (sql) => {
    const triggers = await sql.query<{ table: string; name: string }>({
      text: `select tgrelid::regclass::text as table, tgname as name from pg_trigger where not tgisinternal`,
    });
    const tables = [...new Set(triggers.map(({ table }) => table))];
    for (const table of tables) await sql.query({ text: `alter table ${table} disable trigger user` });
    await work(sql);
    for (const { table, name } of triggers)
      await sql.query({ text: `alter table ${table} enable always trigger ${name}` });
    await sql.query({ text: 'update change_log set tracking = change_tracking()' });
  });
}
