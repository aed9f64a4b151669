// Test support: private PostgreSQL servers with all migrations, as copies of one that a run makes.

import { openDatabase } from '#database/database.ts';
import { migrate } from '#database/migrate.ts';
import { findBinary } from './binaries.ts';
import type { PostgresOptions } from './postgres-server.ts';
import type { Service } from './service.ts';
import { startPostgres } from './services.ts';
import { templateDirectory } from './template-directory.ts';

/**
 * A private PostgreSQL whose database has all migrations and no deployment, which `migrate` adds. PostgreSQL takes all
 * these servers for the same cluster: one that is to be another is started by `startPostgres`. The caller stops it.
 */
export async function startMigratedPostgres(options: Pick<PostgresOptions, 'settings'> = {}): Promise<Service> {
  // In a container it begins empty, and `migrate` does the rest.
  if (findBinary('initdb') === undefined) return startPostgres(options);
  const directory = await templateDirectory('postgres', makeTemplate);
  return startPostgres({ ...options, from: { directory, recover: false } });
}

async function makeTemplate(path: string): Promise<void> {
  const server = await startPostgres({ keptIn: path });
  try {
    const database = await openDatabase({ url: server.url });
    await migrate(database, 'PTC');
    // The row contains secrets.
    await database.query({ text: 'delete from deployment' });
    await database.close();
  } finally {
    await server.stop();
  }
}
