// Doctor: PostgreSQL: server, migrations, activity, and connections for all gateways.
import { hostOf, urlsOfHosts } from '#core/database-url.ts';
import { DAY_MS } from '#core/timestamps.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { pendingMigrations, readMissingTriggers } from '#database/migrate.ts';
import { migrations as listed } from '#database/migrations/index.ts';
import { readValue } from '#database/rows.ts';
import { CLUSTER } from '#database/session.ts';
import { daysAhead, listMonths, MIN_DAYS_AHEAD } from '#repositories/access-record/partitions.ts';
import {
  readAppliedMigrations,
  readConnectionRoom,
  readDeadRows,
  readInvalidIndexes,
  readReplicaLag,
  readServerState,
  readSleepingTriggers,
  readSubscriptions,
  readTransactionAge,
  readVacuumBlockers,
} from '#repositories/database-health.ts';
import type { Config } from '#src/config.ts';
import { examining, type Finding, ok, wrong } from './finding.ts';

/** Thresholds of findings. */
export const BOUNDS = {
  minVersion: 150_000,
  /** Duration of a long transaction in seconds. */
  longSeconds: 600,
  /** Age of the oldest transaction id. The maximum is about 2,000,000,000; autovacuum starts at 200,000,000. */
  oldTransactions: 1_000_000_000,
};
const BEHIND_SECONDS = 10;
/** Months are dropped within minutes after their retention, unless that fails. */
const OVERDUE_DAYS = 1;
/** Connections for commands and a migration, in addition to the gateways'. */
const COMMANDS = 3;
export const MIGRATE = 'run: portico migrate';

/**
 * For a server other than the embedded one, also examines hosts, connections and replicas. `processes` is the number of
 * registered processes, or the operator's figure if that is higher.
 */
export async function examineDatabase(
  database: Database,
  config: Config,
  processes: number,
  bounds: typeof BOUNDS,
): Promise<Finding[]> {
  const embedded = config.databaseUrl === undefined;
  const applied = await migrations(database);
  const isMigrated = applied.every(({ state }) => state !== 'wrong');
  const findings = [...(await server(database, embedded, bounds)), ...applied];
  findings.push(...(await triggers(database, isMigrated)), ...(await upkeep(database, bounds)));
  if (isMigrated) findings.push(...(await accessRecord(database, config)));
  if (config.databaseUrl === undefined) return findings;
  findings.push(await connections(database, config, processes), ...(await hosts(config.databaseUrl)));
  return [...findings, ...(await replicas(database, config))];
}

async function server(database: Database, embedded: boolean, { minVersion }: typeof BOUNDS): Promise<Finding[]> {
  const { version, versionNumber, unsafe, autovacuum, encrypted } = await readServerState(database);
  const report = examining('database.server');
  // The operator does not control how the embedded server runs.
  if (embedded) return report.orOk(`PostgreSQL ${version}, embedded`);
  if (versionNumber < minVersion) report.wrong(`PostgreSQL ${version}`, 'use PostgreSQL 15 or later');
  if (unsafe.length > 0)
    report.warning(
      `${unsafe.join(', ')} ${unsafe.length === 1 ? 'is' : 'are'} off: acknowledged commits may be lost`,
      'switch them on: with a lost revocation, access is open again',
    );
  if (!autovacuum) report.warning('autovacuum is off', 'switch it on');
  if (encrypted === false)
    report.warning('the connection is not encrypted', 'add sslmode=verify-full to DATABASE_URL (docs/connections.md)');
  return report.orOk(`PostgreSQL ${version}`);
}

async function migrations(database: Database): Promise<Finding[]> {
  const check = 'database.migrations';
  const pending = await pendingMigrations(database);
  if (pending.length > 0) return [wrong(check, `${pending.length} missing: ${pending.join(', ')}`, MIGRATE)];
  const report = examining(check);
  const known = new Set(listed.map(({ name }) => name));
  const unknown = (await readAppliedMigrations(database)).filter((name) => !known.has(name));
  if (unknown.length > 0)
    report.warning(`applied by a later version: ${unknown.join(', ')}`, 'update this program to that version');
  return report.orOk('up to date');
}

async function triggers(database: Database, isMigrated: boolean): Promise<Finding[]> {
  const report = examining('database.triggers');
  const sleeping = await readSleepingTriggers(database);
  if (sleeping.length > 0)
    report.wrong(
      `disabled, or not enabled always: ${sleeping.join(', ')}; changes can go unnoticed`,
      'alter table … enable always trigger … ; afterwards partners have to synchronise in full',
    );
  for (const { relation, name, definition } of isMigrated ? await readMissingTriggers(database) : []) {
    const make = definition ?? `create trigger ${name} …, as in pg_dump --schema-only of another database`;
    const enable = `alter table ${relation} enable always trigger ${name}`;
    const advice = `${make}; ${enable}; -- then correct what was written meanwhile (docs/restoring.md)`;
    report.wrong(`${relation} lacks ${name}: gateways serve no portfolios`, advice);
  }
  for (const { name, tables } of await readSubscriptions(database))
    report.wrong(
      `the subscription ${name} writes to ${tables} without firing statement triggers`,
      `drop subscription ${name}; replicate into separate tables, and copy from those with a program`,
    );
  return report.orOk('all exist and fire in every session');
}

/** Whether the access record has partitions for the coming days, and none that should have been dropped. */
async function accessRecord(database: Database, config: Config): Promise<Finding[]> {
  const report = examining('database.access_record');
  const days = await daysAhead(database);
  if (days < MIN_DAYS_AHEAD)
    report.wrong(
      days < 0 ? 'has no partition for today: calls cannot be saved' : `has partitions for only ${days} days`,
      'run: portico access maintain, as a role that may create tables',
    );
  for (const { table, name, until } of await listMonths(database)) {
    const kept = table === 'access_calls' ? config.accessRecordDays : config.refusedCallsDays;
    if (kept === undefined || Date.parse(until) + (kept + OVERDUE_DAYS) * DAY_MS > Date.now()) continue;
    report.warning(
      `${name} is past its retention and still in the database`,
      'gateways try every ten minutes; if it stays, look for "where":"upkeep" in their logs, or run: portico access maintain',
    );
  }
  return report.orOk(`has partitions for ${days} days`);
}

async function upkeep(database: Database, { longSeconds, oldTransactions }: typeof BOUNDS): Promise<Finding[]> {
  const findings: Finding[] = [];
  const of = (what: string) => examining(`database.${what}`, findings);
  for (const { table, dead, live } of await readDeadRows(database))
    of('dead_rows').warning(
      `${table} has ${dead} dead rows and ${live} live rows`,
      `vacuum (analyze) ${table}; if that does not help, look for old transactions and at autovacuum_vacuum_scale_factor`,
    );
  const held = of('held');
  for (const { by, seconds } of await readVacuumBlockers(database, longSeconds))
    if (seconds === null)
      held.warning(`${by} has no consumer: the server retains WAL for it`, 'start its consumer, or drop the slot');
    else
      held.warning(
        `${by} has had a transaction open for ${seconds} s: rows that died since cannot be vacuumed`,
        'end it; select pg_terminate_backend(…), or rollback prepared',
      );
  for (const index of await readInvalidIndexes(database))
    of('indexes').warning(
      `${index} is invalid: its creation was not completed`,
      `drop index concurrently ${index}; ${MIGRATE}`,
    );
  const age = await readTransactionAge(database);
  if (age > oldTransactions)
    held.wrong(
      `the oldest transaction id is ${age} transactions old: at 2,000,000,000 PostgreSQL stops all writes`,
      'vacuum (freeze)',
    );
  return of('upkeep').orOk('no excess of dead rows, long transactions or invalid indexes');
}

async function connections(database: Database, config: Config, processes: number): Promise<Finding> {
  const { limit, limitedBy, others } = await readConnectionRoom(database);
  const room = limit - others - COMMANDS;
  const wanted = processes * config.databaseConnections;
  const found = `${processes} process(es) × ${config.databaseConnections} connections = ${wanted}; ${limitedBy} leaves ${room} (${limit} minus ${others} of others and ${COMMANDS} for commands)`;
  if (wanted <= room) return ok('database.connections', found);
  const each = Math.floor(room / processes);
  const fewer = each > 0 ? `set DATABASE_CONNECTIONS to ${each} or less, or ` : '';
  return wrong('database.connections', found, `${fewer}raise the limit of ${limitedBy}`);
}

/** Unreachable hosts of several: after the loss of the primary it is too late to learn of them. */
async function hosts(databaseUrl: string): Promise<Finding[]> {
  const urls = urlsOfHosts(databaseUrl);
  if (urls.length === 1) return [];
  const report = examining('database.hosts');
  /** By the time of their start, because a server may have several names. */
  const primaries = new Map<string, string>();
  for (const url of urls) {
    const found = await lookAt(url);
    if ('started' in found) primaries.set(found.started, hostOf(url));
    else if (!/is a standby$/.test(found.reason))
      report.warning(`${hostOf(url)}: ${found.reason}`, 'repair it: a failover to it would fail');
  }
  if (primaries.size > 1)
    report.wrong(
      `${[...primaries.values()].join(' and ')} are all primaries: commands, and gateways that start, may use one that was replaced`,
      'stop the one that was replaced, or take its address away (runbook failover)',
    );
  return report.orOk(`${urls.length} hosts answer`);
}

/** When the primary was started, or why the server is none that can be used. */
async function lookAt(url: string): Promise<{ started: string } | { reason: string }> {
  const database = await openDatabase({ url, connections: 1 });
  try {
    return { started: await readValue(database, { text: 'select pg_postmaster_start_time()::text as started' }) };
  } catch (error) {
    return { reason: (error as Error).message };
  } finally {
    await database.close();
  }
}

async function replicas(primary: Database, config: Config): Promise<Finding[]> {
  const [of] = await primary.query<{ cluster: string; position: string }>({
    text: `select ${CLUSTER} as cluster, pg_current_wal_lsn()::text as position`,
  });
  const findings: Finding[] = [];
  const report = examining('database.replicas', findings);
  for (const url of config.databaseReplicaUrls) {
    const replica = await openDatabase({ url, connections: 1, replicaOf: of?.cluster ?? '' });
    const name = hostOf(url);
    try {
      const { standby, secondsBehind, readsStats } = await readReplicaLag(replica, of?.position ?? '0/0');
      if (!standby) {
        report.wrong(
          `${name} is a primary, as a replica is after its promotion: no gateway reads it`,
          'remove it from DATABASE_REPLICA_URLS, or make it follow the primary',
        );
        continue;
      }
      if ((secondsBehind ?? 0) > BEHIND_SECONDS)
        report.warning(`${name} is ${secondsBehind} s behind: reads go to the primary`, 'check its replication');
      else report.ok(`${name} follows the primary`);
      if (!readsStats)
        report.warning(
          `${name}: the role may not read pg_stat_wal_receiver, so after a promotion the replica is not used for a while`,
          'grant pg_read_all_stats to the role',
        );
    } catch (error) {
      report.wrong(
        `${name}: ${(error as Error).message}`,
        'reads go to the primary; repair it, or remove it from DATABASE_REPLICA_URLS',
      );
    } finally {
      await replica.close();
    }
  }
  return findings;
}
