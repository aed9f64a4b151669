// Test support: changes that no trigger sees, and that the change log is told nothing of: as if rows had always been so.
import type { Database, Sql } from '#database/database.ts';

/** Runs `work` in a transaction in which no trigger of ours fires; what is kept of the tables ends with it. */
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
