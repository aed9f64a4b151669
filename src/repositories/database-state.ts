// Repositories: how the database is, as it says itself.
import type { Sql } from '#database/database.ts';

export interface DatabaseState {
  version: string;
  sizeBytes: number;
  /** Null where it does not say, as the embedded one. */
  connections: number | null;
  mostConnections: number | null;
  /** Milliseconds of a look. */
  latencyMs: number;
}

export async function readDatabaseState(sql: Sql): Promise<DatabaseState> {
  const began = performance.now();
  await sql.query({ text: 'select 1' });
  const latencyMs = Math.round((performance.now() - began) * 100) / 100;
  const [row] = await sql.query<Omit<DatabaseState, 'latencyMs'>>({
    text: `select current_setting('server_version') as version, pg_database_size(current_database()) as "sizeBytes",
      nullif((select count(*)::int from pg_stat_activity where backend_type = 'client backend'), 0) as connections,
      current_setting('max_connections')::int as "mostConnections"`,
  });
  return { ...(row as Omit<DatabaseState, 'latencyMs'>), latencyMs };
}
