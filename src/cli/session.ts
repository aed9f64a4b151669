// Command line: opens the database for a command.

import { nameOfDatabase } from '#core/database-url.ts';
import { PlainError, Refusal } from '#core/errors.ts';
import type { Database, DatabaseOptions } from '#database/database.ts';
import type { EmbeddedServer } from '#database/embedded.ts';
import { migrate, pendingMigrations, readMissingTriggers, requireTriggers } from '#database/migrate.ts';
import type { RevocationJournal } from '#database/revocation-journal.ts';
import type { PlaceGuard } from '#gateway/restore/place-guard.ts';
import { readPlatformPrefix } from '#repositories/reference.ts';
import type { Config } from '#src/config.ts';
import { asFailure, CommandFailure, note } from './host.ts';

/** Maximum time for another process to migrate a new embedded database. */
const MIGRATION_MS = 30_000;

export interface OpenedDatabase {
  database: Database;
  /** Whether it is the embedded PostgreSQL instead of that at DATABASE_URL. */
  embedded: boolean;
  /** Whether another process runs the embedded one, which may end at any time. */
  guest: boolean;
  /** Settles with the reason when this process's embedded database crashes. */
  crashed: Promise<Error>;
  /** Opens a second handle without the admission check of connections. */
  openSeparately(): Promise<Database>;
  close(): Promise<void>;
}

export interface OpenOptions extends Pick<DatabaseOptions, 'admit' | 'patienceMs'> {
  /** Also opens a database that lacks migrations, and applies none. */
  allowOutdated?: boolean;
  attempts?: number;
}

/**
 * Opens the database at DATABASE_URL, or the embedded one, which is created if there is none. Unless `allowOutdated`,
 * migrates the embedded one; another must be up to date.
 */
export async function openConfiguredDatabase(config: Config, options: OpenOptions = {}): Promise<OpenedDatabase> {
  const { allowOutdated = false, patienceMs, admit, attempts = 5 } = options;
  // Everything opened is closed in reverse order, also after a failure half-way.
  const opened = new AsyncDisposableStack();
  const close = () => opened.disposeAsync();
  let server: EmbeddedServer | null = null;
  try {
    server = config.databaseUrl === undefined ? await embeddedServer(config.dataDirectory) : null;
    opened.defer(() => server?.close());
    // Imported here so that help and usage errors do not wait for the driver.
    const { openDatabase } = await import('#database/database.ts');
    const journal = config.revocationJournal === undefined ? null : await openJournal(config.revocationJournal);
    const same = { url: config.databaseUrl ?? server?.url ?? '', prepare: server === null, journal };
    const database = await openDatabase({
      ...same,
      connections: config.databaseConnections,
      // Not for the embedded server: it has one session for everything, including imports.
      ...(server === null && patienceMs !== undefined ? { patienceMs } : {}),
      ...(admit === undefined ? {} : { admit }),
    });
    // Together: statements that wait behind another process's transaction end only with the server.
    opened.defer(async () => void (await Promise.all([database.close(), server?.close()])));
    const openSeparately = () => openDatabase({ ...same, connections: 1 });
    if (server === null) await requireOwnSessions(database, openSeparately);
    else if (server.guest) await untilMigrated(database);
    else if (!allowOutdated) await migrate(database, config.platformPrefix);
    if (server === null && !allowOutdated) await requireUpToDate(database);
    if (!allowOutdated) {
      await requirePrefix(database, config.platformPrefix);
      if (journal !== null) await beginJournal(database, journal);
    }
    const { guest, crashed } = server ?? { guest: false, crashed: new Promise<Error>(() => {}) };
    return { database, embedded: server !== null, guest, crashed, openSeparately, close };
  } catch (error) {
    await close();
    // The owner of the embedded server may end before this process connects.
    if (server?.guest === true && isOwnerGone(error) && attempts > 1)
      return openConfiguredDatabase(config, { ...options, attempts: attempts - 1 });
    throw error;
  }
}

/** Names the database that a command acts on: without the gateways' settings it would be another than theirs. */
export const databaseOf = ({ databaseUrl, dataDirectory }: Config): string =>
  databaseUrl === undefined ? `the embedded database in ${dataDirectory}` : nameOfDatabase(databaseUrl);

/** For commands that make no sense on a new database. */
export async function requireDatabase({ databaseUrl, dataDirectory }: Config): Promise<void> {
  if (databaseUrl !== undefined) return;
  const { hasEmbedded } = await import('#database/embedded.ts');
  if (hasEmbedded(dataDirectory)) return;
  throw new CommandFailure(
    `DATABASE_URL is not set, and there is no embedded database in ${dataDirectory}; run it with the gateways' settings`,
  );
}

const isOwnerGone = (error: unknown): boolean =>
  ['ENOENT', 'ECONNREFUSED', 'ECONNRESET'].includes(String((error as { code?: unknown }).code));

/** Imported on demand, because it contains a whole PostgreSQL. */
async function embeddedServer(directory: string): Promise<EmbeddedServer> {
  const { openEmbedded } = await import('#database/embedded.ts');
  return openEmbedded(directory).catch(asFailure('DATA_DIR cannot be used'));
}

async function openJournal(path: string): Promise<RevocationJournal> {
  const { RevocationJournal } = await import('#database/revocation-journal.ts');
  return RevocationJournal.open(path).catch(asFailure('REVOCATION_JOURNAL cannot be opened'));
}

/** Only at a confirmed place: a journal begun on a restored database would confirm it, whatever was lost. */
async function beginJournal(database: Database, journal: RevocationJournal): Promise<void> {
  const { readPlace } = await import('#repositories/restores.ts');
  const { deploymentId, present, confirmed } = await readPlace(database);
  if (present !== confirmed) return;
  await journal.begin(deploymentId).catch((error: Error) => {
    throw new CommandFailure(error.message);
  });
}

/**
 * Waits for the owner to migrate. A guest must not migrate: the embedded server has one session, whose locks exclude no
 * one.
 */
async function untilMigrated(database: Database): Promise<void> {
  const deadline = Date.now() + MIGRATION_MS;
  while ((await pendingMigrations(database)).length > 0) {
    if (Date.now() > deadline)
      throw new CommandFailure('the process that serves DATA_DIR runs an older version; restart it with this version');
    await new Promise((wake) => setTimeout(wake, 50));
  }
}

/** A pooler that shares sessions would give a second connection the idle session of the first. */
async function requireOwnSessions(database: Database, openSeparately: OpenedDatabase['openSeparately']): Promise<void> {
  const another = async () => {
    // A separate handle, because the pool may be limited to one connection.
    const separate = await openSeparately();
    await separate
      .connection(async () => {})
      // There may be no second connection available.
      .catch(({ cause }: Error) => {
        if (cause instanceof Error && cause.name === 'UnusableSession') throw cause;
      })
      .finally(() => separate.close());
  };
  await database.connection(another).catch(asFailure('cannot use the database'));
}

async function requireUpToDate(database: Database): Promise<void> {
  const pending = await pendingMigrations(database);
  if (pending.length === 0) return;
  throw new CommandFailure(`the database lacks ${pending.length} migration(s); run: portico migrate`);
}

async function requirePrefix(database: Database, configured: string): Promise<void> {
  const prefix = await readPlatformPrefix(database);
  if (configured !== prefix) throw new CommandFailure(wrongPrefix(configured, prefix));
}

export const wrongPrefix = (configured: string, prefix: string): string =>
  `PLATFORM_PREFIX is ${configured}, but this deployment's registry ids begin with ${prefix}`;

/**
 * Opens the database for one piece of work, and closes it afterwards. If the database lacks triggers the work may only
 * read: changes are refused, since they would pass unnoticed.
 */
export const withDatabase = <Result>(config: Config, work: Work<Result>): Promise<Result> =>
  onDatabase(config, (database, isWhole) => work(isWhole ? database : reading(database)));

/**
 * The same for work that revokes access, which must not wait until the database is repaired. A new database has nothing
 * to revoke.
 */
export async function revoking(config: Config, work: Work<void>): Promise<void> {
  await requireDatabase(config);
  await onDatabase(config, async (database, isWhole) => {
    await work(database);
    if (!isWhole) note(REVOKED_UNNOTICED);
  });
}

type Work<Result> = (database: Database) => Promise<Result>;

async function onDatabase<Result>(
  config: Config,
  work: (database: Database, isWhole: boolean) => Promise<Result>,
): Promise<Result> {
  const { database, close } = await openConfiguredDatabase(config);
  try {
    return await work(database, (await readMissingTriggers(database)).length === 0);
  } catch (error) {
    if (error instanceof Refusal || error instanceof PlainError) throw error;
    const { isUnavailable } = await import('#database/for-requests.ts');
    if (!isUnavailable(error)) throw error;
    throw new CommandFailure(`the database became unavailable: ${(error as Error).message}`, { cause: error });
  } finally {
    await close();
  }
}

const REVOKED_UNNOTICED =
  'revoked, but the database lacks triggers: the revocation journal and other gateways may not learn of it; see: portico doctor';

/**
 * A database on which each transaction is read-only. Not set for the session, because the embedded server has only one.
 */
function reading(database: Database): Database {
  const transaction: Database['transaction'] = (work, options) =>
    database
      .transaction(async (sql) => {
        await sql.query({ text: 'set transaction read only' });
        return work(sql);
      }, options)
      .catch(async (error: { code?: string }) => {
        if (error.code === READ_ONLY) await requireTriggers(database);
        throw error;
      });
  const connection: Database['connection'] = (work) => transaction((sql) => work(sql));
  return { ...database, transaction, connection, query: (statement) => transaction((sql) => sql.query(statement)) };
}

/** SQLSTATE of a change in a read-only transaction. */
const READ_ONLY = '25006';

/** Opens the database to serve it. Fails if it was restored and not confirmed since. */
export async function openToServe(config: Config): Promise<OpenedDatabase & { guard: PlaceGuard }> {
  // Imported here because other commands do not need it.
  const [{ PlaceGuard }, { requireServable, UnconfirmedDatabase }, { REQUEST_PATIENCE_MS }] = await Promise.all([
    import('#gateway/restore/place-guard.ts'),
    import('#gateway/restore/servable.ts'),
    import('#database/for-requests.ts'),
  ]);
  const requirePlace = async (database: Database): Promise<string> => {
    const { place, repeated } = await requireServable(database, config.portalUrl ?? null);
    if (repeated > 0) note(`revocation journal: ${repeated} revocation(s) that the database had lost were repeated`);
    return place;
  };
  const guard = new PlaceGuard(async () => {
    const separate = await opened.openSeparately();
    try {
      return await requirePlace(separate);
    } finally {
      await separate.close();
    }
  });
  const opened = await openConfiguredDatabase(config, {
    admit: guard.admit,
    patienceMs: REQUEST_PATIENCE_MS,
  });
  try {
    guard.serve(await requirePlace(opened.database));
    return { ...opened, guard };
  } catch (error) {
    await opened.close();
    if (error instanceof UnconfirmedDatabase) throw new CommandFailure(`${error.message}; see: portico restore`);
    throw error;
  }
}
