// Command line: the database that a command works on.

import type { Database } from '#database/database.ts';
import type { EmbeddedServer } from '#database/embedded.ts';
import { migrate, pendingMigrations } from '#database/migrate.ts';
import type { Config } from '#src/config.ts';
import { CommandFailure } from './host.ts';

/** How long the owner of a new embedded database may take to build it up. */
const MIGRATION_MS = 30_000;

export interface OpenedDatabase {
  database: Database;
  /** Whether it is the embedded PostgreSQL rather than DATABASE_URL's. */
  embedded: boolean;
  /** Whether another process runs the embedded one, which may end at any time. */
  guest: boolean;
  close(): Promise<void>;
}

/**
 * Opens DATABASE_URL's database or the embedded one. The embedded one is migrated on the way; another must be up to
 * date already, unless `allowOutdated`.
 */
export async function openConfiguredDatabase(
  config: Config,
  { allowOutdated = false, attempts = 5 }: { allowOutdated?: boolean; attempts?: number } = {},
): Promise<OpenedDatabase> {
  const server = config.databaseUrl === undefined ? await embeddedServer(config.dataDirectory) : null;
  // Here, not above: wrong usage and help wait for no driver.
  const { openDatabase } = await import('#database/database.ts');
  const database = await openDatabase({
    url: config.databaseUrl ?? server?.url ?? '',
    connections: config.databaseConnections,
    prepare: server === null,
  });
  const close = async () => {
    await database.close();
    await server?.close();
  };
  try {
    if (server !== null) await (server.guest ? untilMigrated(database) : migrate(database, config.platformPrefix));
    else if (!allowOutdated) await requireUpToDate(database);
    if (!allowOutdated) await requirePrefix(database, config.platformPrefix);
    return { database, embedded: server !== null, guest: server?.guest ?? false, close };
  } catch (error) {
    await close();
    // The owner of the embedded server may end between this process's look and its first connection.
    if (server?.guest === true && isOwnerGone(error) && attempts > 1)
      return openConfiguredDatabase(config, { allowOutdated, attempts: attempts - 1 });
    throw error;
  }
}

const isOwnerGone = (error: unknown): boolean =>
  ['ENOENT', 'ECONNREFUSED', 'ECONNRESET'].includes(String((error as { code?: unknown }).code));

/** Loaded only where it is used: it brings a whole PostgreSQL. */
async function embeddedServer(directory: string): Promise<EmbeddedServer> {
  const { openEmbedded } = await import('#database/embedded.ts');
  return openEmbedded(directory);
}

/** The owner migrates. A guest must not try: the embedded server has one session, whose locks keep nobody out. */
async function untilMigrated(database: Database): Promise<void> {
  const deadline = Date.now() + MIGRATION_MS;
  while ((await pendingMigrations(database)).length > 0) {
    if (Date.now() > deadline) throw new CommandFailure('the process that serves DATA_DIR is of an older version');
    await new Promise((wake) => setTimeout(wake, 50));
  }
}

async function requireUpToDate(database: Database): Promise<void> {
  const pending = await pendingMigrations(database).catch((error: Error) => {
    throw new CommandFailure(`cannot reach the database: ${error.message}`);
  });
  if (pending.length === 0) return;
  throw new CommandFailure(`the database lacks ${pending.length} migration(s); run: npm run -s portico -- migrate`);
}

async function requirePrefix(database: Database, prefix: string): Promise<void> {
  const [row] = await database.query<{ platform_prefix: string }>({ text: 'select platform_prefix from deployment' });
  if (row === undefined || row.platform_prefix === prefix) return;
  throw new CommandFailure(
    `PLATFORM_PREFIX is ${prefix}, but this deployment's registry ids begin with ${row.platform_prefix}`,
  );
}

/** Opens the database for one piece of work and closes it, also after a failure. */
export async function withDatabase<Result>(
  config: Config,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const { database, close } = await openConfiguredDatabase(config);
  try {
    return await work(database);
  } finally {
    await close();
  }
}
