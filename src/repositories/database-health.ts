// Repositories: aspects of the database's state that operations should know before users notice.
import type { Sql } from '#database/database.ts';
import { readColumn, readRow, readValue } from '#database/rows.ts';

export interface ServerState {
  version: string;
  /** For instance 150004 for 15.4. */
  versionNumber: number;
  /** Names of settings that may lose an acknowledged commit when the machine crashes. */
  unsafe: string[];
  autovacuum: boolean;
  /** Whether this connection is encrypted; null if it does not use a network. */
  encrypted: boolean | null;
}

export function readServerState(sql: Sql): Promise<ServerState> {
  const text = `select current_setting('server_version') as version,
    current_setting('server_version_num')::int as "versionNumber",
    array(select name from pg_settings where setting = 'off'
      and name in ('fsync', 'full_page_writes') order by name) as unsafe,
    current_setting('autovacuum')::boolean as autovacuum,
    case when inet_client_addr() is not null and not inet_client_addr() <<= '127.0.0.0/8' and inet_client_addr() <> '::1'
      then coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) end as encrypted`;
  return readRow(sql, { text });
}

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
  const text = `select current_setting('server_version') as version, pg_database_size(current_database()) as "sizeBytes",
    nullif((select count(*)::int from pg_stat_activity where backend_type = 'client backend'), 0) as connections,
    current_setting('max_connections')::int as "mostConnections"`;
  const [row] = await sql.query<Omit<DatabaseFacts, 'latencyMs'>>({ text });
  return { ...(row as Omit<DatabaseFacts, 'latencyMs'>), latencyMs };
}

export interface ConnectionRoom {
  /** The minimum of the server's, the database's and the role's limits, less the connections reserved for superusers. */
  limit: number;
  limitedBy: 'max_connections' | 'the database' | 'the role';
  /** Connections in use by other applications. */
  others: number;
}

export function readConnectionRoom(sql: Sql): Promise<ConnectionRoom> {
  const text = `with reserved as (
      select coalesce(sum(setting::int), 0) as count from pg_settings
      where name in ('superuser_reserved_connections', 'reserved_connections')
    ), clients as (
      select datname = current_database() as here, usename = current_user as mine,
        application_name = 'portico' and datname = current_database() as ours
      from pg_stat_activity where backend_type = 'client backend'
    ), limits as (
      select 'max_connections' as name, current_setting('max_connections')::int - reserved.count as most,
        (select count(*) from clients where not ours) as others from reserved
      union all
      select 'the database', datconnlimit, (select count(*) from clients where here and not ours)
      from pg_database where datname = current_database() and datconnlimit >= 0
      union all
      select 'the role', rolconnlimit, (select count(*) from clients where mine and not ours)
      from pg_roles where rolname = current_user and rolconnlimit >= 0
    )
    select name as "limitedBy", most::int as "limit", others::int from limits order by most - others limit 1`;
  return readRow(sql, { text });
}

/** Triggers that do not fire in every session. */
export function readSleepingTriggers(sql: Sql): Promise<string[]> {
  const text = `select tgrelid::regclass || '.' || tgname as name from pg_trigger
    where not tgisinternal and tgenabled <> 'A' and tgrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)
    order by 1`;
  return readColumn(sql, { text });
}

/** Subscriptions that write to tables with statement triggers, which logical replication does not fire. */
export function readSubscriptions(sql: Sql): Promise<{ name: string; tables: string }[]> {
  const text = `select subname as name, string_agg(srrelid::regclass::text, ', ' order by srrelid::regclass::text) as tables
    from pg_subscription s join pg_subscription_rel on srsubid = s.oid
    where subenabled and exists (select from pg_trigger where tgrelid = srrelid and not tgisinternal and tgtype & 1 = 0)
    group by subname order by subname`;
  return sql.query<{ name: string; tables: string }>({ text });
}

/** Invalid indexes that a failed `create index concurrently` left behind: they cost writes and serve no reads. */
export function readInvalidIndexes(sql: Sql): Promise<string[]> {
  const text = `select indexrelid::regclass::text as name from pg_index
    where not indisvalid and indrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace) order by 1`;
  return readColumn(sql, { text });
}

export interface DeadRows {
  table: string;
  dead: number;
  live: number;
}

/** Tables with a high share of dead rows. */
export function readDeadRows(sql: Sql): Promise<DeadRows[]> {
  const text = `select relname as table, n_dead_tup::int as dead, n_live_tup::int as live from pg_stat_user_tables
    where n_dead_tup > 10000 and n_dead_tup > 0.2 * (n_live_tup + n_dead_tup) order by n_dead_tup desc`;
  return sql.query<DeadRows>({ text });
}

export interface VacuumBlocker {
  /** A session, a prepared transaction, or a replication slot. */
  by: string;
  seconds: number | null;
}

/**
 * What holds back vacuum and the clean-up of the change log: long transactions, prepared transactions and replication
 * slots.
 */
export function readVacuumBlockers(sql: Sql, longSeconds: number): Promise<VacuumBlocker[]> {
  const text = `select format('process %s (%s)', pid, coalesce(nullif(application_name, ''), usename)) as by,
      extract(epoch from now() - xact_start)::int as seconds
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start < now() - make_interval(secs => $1)
    union all
    select format('prepared transaction %s', gid), extract(epoch from now() - prepared)::int
    from pg_prepared_xacts where database = current_database() and prepared < now() - make_interval(secs => $1)
    union all
    select format('replication slot %s', slot_name), null from pg_replication_slots
    where not active and restart_lsn is not null order by 1`;
  return sql.query<VacuumBlocker>({ text, values: [longSeconds] });
}

/** Age of the database's oldest transaction id. PostgreSQL stops writing at about 2,000,000,000. */
export function readTransactionAge(sql: Sql): Promise<number> {
  const text = 'select age(datfrozenxid)::int as age from pg_database where datname = current_database()';
  return readValue(sql, { text });
}

/** Names of applied migrations. */
export function readAppliedMigrations(sql: Sql): Promise<string[]> {
  return readColumn(sql, { text: 'select name from mikro_orm_migrations order by name' });
}

/** Unix milliseconds by the server's clock. */
export function readServerClock(sql: Sql): Promise<number> {
  return readValue(sql, { text: 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms' });
}

/** All statements of the transaction read one snapshot. To be called before the first of them. */
export async function readOneSnapshot(sql: Sql): Promise<void> {
  await sql.query({ text: 'set transaction isolation level repeatable read' });
}

/** The server's time as text, to the millisecond. */
export function readServerTime(sql: Sql): Promise<string> {
  return readValue(sql, { text: 'select now_ms() as now' });
}

export interface ReplicaLag {
  /** Whether it follows a primary. A promoted replica is one itself. */
  standby: boolean;
  /** Seconds since the last replayed transaction; null if everything is replayed. */
  secondsBehind: number | null;
  /** Whether its role may read the statistics, from which the timeline is seen at once. */
  readsStats: boolean;
}

/** To be queried on the replica. `position` is the present end of the primary's log. */
export function readReplicaLag(sql: Sql, position: string): Promise<ReplicaLag> {
  const text = `select pg_is_in_recovery() as standby, case when pg_last_wal_replay_lsn() < $1::pg_lsn
      then coalesce(extract(epoch from now() - pg_last_xact_replay_timestamp()), 0)::int end as "secondsBehind",
    pg_has_role(current_user, 'pg_read_all_stats', 'member') as "readsStats"`;
  return readRow(sql, { text, values: [position] });
}
