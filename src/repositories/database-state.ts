// Repositories: facts that the database reports of itself.
import type { Sql } from '#database/database.ts';

export interface DatabaseFacts {
  version: string;
  sizeBytes: number;
  /** Null if unknown, as for the embedded database. */
  connections: number | null;
  mostConnections: number | null;
  /** Round trip of a query in milliseconds. */
  latencyMs: number;
}

export async function readDatabaseFacts(sql: Sql): Promise<DatabaseFacts> {
  const began = performance.now();
  await sql.query({ text: 'select 1' });
  const latencyMs = Math.round((performance.now() - began) * 100) / 100;
  const [row] = await sql.query<Omit<DatabaseFacts, 'latencyMs'>>({
    text: `select current_setting('server_version') as version, pg_database_size(current_database()) as "sizeBytes",
      nullif((select count(*)::int from pg_stat_activity where backend_type = 'client backend'), 0) as connections,
      current_setting('max_connections')::int as "mostConnections"`,
  });
  return { ...(row as Omit<DatabaseFacts, 'latencyMs'>), latencyMs };
}
