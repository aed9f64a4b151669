// Database: brings a database up to date, safely when several processes try at once.
import type { Database, Sql } from './database.ts';

const LOCK = 'hashtextextended($$portico migrations$$, 0)';

/** Names of the migrations that this database still lacks, in order. */
export async function pendingMigrations(database: Database): Promise<string[]> {
  const [row] = await database.query<{ exists: boolean }>({
    text: "select to_regclass('mikro_orm_migrations') is not null as exists",
  });
  const applied = row?.exists
    ? await database.query<{ name: string }>({ text: 'select name from mikro_orm_migrations' })
    : [];
  const known = new Set(applied.map(({ name }) => name));
  const all = database.orm.config.get('migrations').migrationsList ?? [];
  return all.flatMap((entry) => ('name' in entry && !known.has(entry.name) ? [entry.name] : []));
}

/**
 * Applies what is missing, all or nothing, and fixes the platform prefix at the first run.
 * Returns the names applied. A second process waits for the first and then finds nothing to do.
 */
export async function migrate(database: Database, platformPrefix: string): Promise<string[]> {
  return database.connection(async (lock) => {
    await lock.query({ text: `select pg_advisory_lock(${LOCK})` });
    try {
      const pending = await pendingMigrations(database);
      if (pending.length > 0) {
        const complete = await isLogComplete(lock);
        await database.orm.migrator.up();
        // What a migration alters of tables and triggers is no interruption of the change log.
        if (complete) await lock.query({ text: 'update change_log set tracking = change_tracking()' });
      }
      await database.query({
        text: 'insert into deployment (platform_prefix) values ($1) on conflict do nothing',
        values: [platformPrefix],
      });
      return pending;
    } finally {
      await lock.query({ text: `select pg_advisory_unlock(${LOCK})` });
    }
  });
}

/** Whether no change has passed the change log by (Migration0014); also where there is none yet. */
async function isLogComplete(sql: Sql): Promise<boolean> {
  const [log] = await sql.query<{ exists: boolean }>({
    text: "select to_regclass('change_log') is not null as exists",
  });
  if (log?.exists !== true) return true;
  const [row] = await sql.query<{ complete: boolean }>({
    text: 'select tracking = change_tracking() as complete from change_log',
  });
  return row?.complete === true;
}
