// Database: migrates a database, safely with several processes at once and beside serving gateways.
import { setTimeout as sleep } from 'node:timers/promises';
import { PlainError } from '#core/errors.ts';
import { lazy } from '#core/lazy.ts';
import type { Database, Sql } from './database.ts';
import { type MigrationClass, migrations } from './migrations/index.ts';
import { findValue, readColumn, readValue } from './rows.ts';
import { requireOwn, SESSION_NAME } from './session.ts';

const LOCK = 'hashtextextended($$portico migrations$$, 0)';
const LOCK_PAUSE_MS = 100;

/** Shorter than requests wait for a lock, because they queue behind a migration that waits for one. */
const LOCK_TIMEOUT_MS = 2_000;
/** Between two attempts, queued requests get their locks. */
const PAUSE_MS = 1_000;
const ATTEMPTS = 30;
/** Lock not available, and deadlock detected: other transactions may lock the same tables in another order. */
const BLOCKED = ['55P03', '40P01'];

const APPLIED = 'mikro_orm_migrations';
const EXPECTED = 'expected_triggers';
/** The table as the ORM would create it, which would take another connection. */
const APPLIED_TABLE = `create table ${APPLIED} (
  id serial primary key, name varchar(255) not null, executed_at timestamptz(6) not null default current_timestamp(6))`;

export interface MigrateOptions {
  lockTimeoutMs?: number;
  attempts?: number;
  /**
   * Called after each attempt that locks blocked, and with the holders for which a non-transactional migration waits.
   */
  onBlocked?: (reason: string) => void;
  /** Default: the migrations of this program. */
  list?: readonly ListedMigration[];
}

/** A migration could not get its locks. Nothing of it was applied; the migrations before it were. */
export class MigrationBlocked extends PlainError {}

export interface ListedMigration {
  name: string;
  class: MigrationClass;
}

/** Names of the migrations not applied yet, in order. */
export async function pendingMigrations(database: Database): Promise<string[]> {
  return (await lacking(database)).map(({ name }) => name);
}

async function lacking(database: Database, list = migrations): Promise<ListedMigration[]> {
  const applied = (await hasTable(database, APPLIED))
    ? await readColumn<string>(database, { text: `select name from ${APPLIED}` })
    : [];
  return list.filter(({ name }) => !applied.includes(name));
}

/**
 * Throws where a pooled connection cannot do what requests need, or does not have its own session because of a pooler.
 */
export async function requireUsable(database: Database): Promise<void> {
  const row = await database.connection(async (sql, session) => {
    const [found] = await sql.query<{ read_only: boolean; session: string | null; folds: boolean }>({
      text: `select current_setting('transaction_read_only')::boolean as read_only, ${SESSION_NAME} as session,
        lower('I') = 'i' as folds`,
    });
    requireOwn(found?.session, session);
    return found;
  });
  if (row?.read_only !== false) throw new Error('the database is read-only');
  // As in Turkish: an address written with this letter would not be found.
  if (!row.folds)
    throw new PlainError(
      "in the database's locale the lower case of I is not i: create the database with another locale",
    );
  const pending = await pendingMigrations(database);
  if (pending.length > 0) throw new Error(`the database lacks ${pending.length} migration(s)`);
  await requireTriggers(database);
}

export interface MissingTrigger {
  relation: string;
  name: string;
  /** SQL that creates it again; null where it was already missing when triggers were first noted. */
  definition: string | null;
}

/** Triggers created by the applied migrations that are missing now (Migration0052). */
export function readMissingTriggers(sql: Sql): Promise<MissingTrigger[]> {
  return sql.query<MissingTrigger>({ text: 'select relation, name, definition from missing_triggers() order by 1, 2' });
}

/** Throws PlainError where triggers are missing. */
export async function requireTriggers(sql: Sql): Promise<void> {
  const missing = (await readMissingTriggers(sql)).map(({ relation, name }) => `${relation}.${name}`);
  if (missing.length > 0)
    throw new PlainError(`the database lacks triggers, without which changes go unnoticed: ${missing.join(', ')}`);
}

/**
 * Applies the missing migrations, each in its own transaction so that its locks are released at once, and sets the
 * platform prefix at the first run. Returns their names. A second process waits for the first and then finds nothing to
 * do. Throws MigrationBlocked where locks of others block a migration for long, and PlainError where triggers of
 * earlier migrations are missing; the migration is not applied then.
 */
export async function migrate(
  database: Database,
  platformPrefix: string,
  options: MigrateOptions = {},
): Promise<string[]> {
  return database.connection(async (lock) => {
    await takeLock(lock);
    try {
      if (!(await hasTable(lock, APPLIED))) await lock.query({ text: APPLIED_TABLE });
      const pending = await lacking(database, options.list);
      for (const migration of pending) await applyInTurn(database, lock, migration, options);
      await database.query({
        // `where not exists`, because a database restored without its primary keys would accept a second row.
        text: 'insert into deployment (platform_prefix) select $1 where not exists (select from deployment)',
        values: [platformPrefix],
      });
      return pending.map(({ name }) => name);
    } finally {
      await lock.query({ text: `select pg_advisory_unlock(${LOCK})` });
    }
  });
}

/** Polls, because CREATE INDEX CONCURRENTLY waits for waiting statements, so that both would wait for each other. */
async function takeLock(lock: Sql): Promise<void> {
  for (;;) {
    if (await readValue<boolean>(lock, { text: `select pg_try_advisory_lock(${LOCK}) as taken` })) return;
    await sleep(LOCK_PAUSE_MS);
  }
}

async function applyInTurn(
  database: Database,
  observer: Sql,
  migration: ListedMigration,
  { lockTimeoutMs = LOCK_TIMEOUT_MS, attempts = ATTEMPTS, onBlocked = () => {} }: MigrateOptions,
): Promise<void> {
  const patient = !migration.class.prototype.isTransactional();
  for (let attempt = 1; ; attempt++) {
    const watch = watchLocks(observer, lockTimeoutMs / 4, (seen) => {
      if (patient) onBlocked(`${migration.name} waits for ${seen}`);
    });
    try {
      return await apply(database, migration, lockTimeoutMs, (pid) => watch.start(pid));
    } catch (error) {
      await watch.stop();
      if (!BLOCKED.includes((error as { code?: string }).code ?? '')) throw error;
      const reason = `${migration.name} waits for ${watch.blocker() ?? 'a lock that others hold'}`;
      if (attempt === attempts) throw new MigrationBlocked(`${reason}; it was not applied`, { cause: error });
      onBlocked(`${reason}; trying again`);
      await sleep(PAUSE_MS);
    } finally {
      await watch.stop();
    }
  }
}

const orm = lazy(async () => (await import('./orm.ts')).createOrm());

async function apply(
  database: Database,
  { name, class: MigrationClass }: ListedMigration,
  lockTimeoutMs: number,
  onStart: (pid: number) => void,
): Promise<void> {
  const { driver, config } = await orm();
  const migration = new MigrationClass(driver, config);
  await migration.up();
  const isTransactional = migration.isTransactional();
  const run = async (sql: Sql) => {
    onStart(await readValue<number>(sql, { text: 'select pg_backend_pid() as pid' }));
    if (isTransactional) await sql.query({ text: `set local lock_timeout = ${lockTimeoutMs}` });
    const complete = !(await hasTable(sql, 'change_log')) || (await isLogComplete(sql));
    const notes = await hasTable(sql, EXPECTED);
    // Expected triggers are noted afterwards from those present, so all must be present before.
    if (notes) await requireTriggers(sql);
    const others = notes ? await otherTriggers(sql) : [];
    for (const text of migration.getQueries()) await sql.query({ text: String(text) });
    // The migration's own changes of tables and triggers neither begin nor end an interruption of the change log.
    const tracking = complete ? 'change_tracking()' : "''";
    if (await hasTable(sql, 'change_log')) await sql.query({ text: `update change_log set tracking = ${tracking}` });
    if (notes) await sql.query({ text: 'select note_triggers($1)', values: [others] });
    await sql.query({ text: `insert into ${APPLIED} (name) values ($1)`, values: [name] });
  };
  await (isTransactional ? database.transaction(run) : database.connection(run));
}

/** Triggers that no migration created, as `table.name`. Their owners may remove them. */
function otherTriggers(sql: Sql): Promise<string[]> {
  return readColumn(sql, {
    text: `select concat_ws('.', relation, name) as trigger from (
        select relation, name from present_triggers() except select relation, name from ${EXPECTED}) others`,
  });
}

async function hasTable(sql: Sql, name: string): Promise<boolean> {
  const text = 'select to_regclass($1) is not null as exists';
  return readValue<boolean>(sql, { text, values: [name] });
}

/** Whether no change has bypassed the change log (Migration0014). */
async function isLogComplete(sql: Sql): Promise<boolean> {
  const text = 'select tracking = change_tracking() as complete from change_log';
  return (await findValue<boolean>(sql, { text })) === true;
}

const BLOCKERS = `
select coalesce(max(l.relation::regclass::text), 'a lock') || ', held by '
  || string_agg(distinct format('process %s (%s)', b.pid, concat_ws(', ', nullif(b.application_name, ''), b.usename, b.state,
    'since ' || to_char(b.xact_start, 'YYYY-MM-DD HH24:MI:SS TZ'))), ' and ') as seen
from unnest(pg_blocking_pids($1)) as blocking (pid)
join pg_stat_activity b using (pid)
join pg_locks l on l.pid = $1 and not l.granted`;

/**
 * Periodically records what a session waits for, because that cannot be found out after it has given up. `onBlocker` is
 * called whenever that changes.
 */
function watchLocks(observer: Sql, everyMs: number, onBlocker: (blocker: string) => void) {
  let last: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  let checking: Promise<void> = Promise.resolve();
  /** A session that gives up during the query no longer waits for a lock. The previous value is kept then. */
  const look = async (pid: number) => {
    const blocker = (await readValue<string | null>(observer, { text: BLOCKERS, values: [pid] })) ?? last;
    if (blocker !== null && blocker !== last) onBlocker(blocker);
    last = blocker;
  };
  return {
    /** What the session last waited for, and who held it. */
    blocker: () => last,
    start(pid: number): void {
      timer = setInterval(() => {
        checking = checking.then(() => look(pid)).catch(() => {});
      }, everyMs);
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      await checking;
    },
  };
}
