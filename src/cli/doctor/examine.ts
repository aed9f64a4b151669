// Doctor: all examinations, in the order of their dependencies.
import { type Clock, type ReadClock, systemClock } from '#core/clock.ts';
import type { Database } from '#database/database.ts';
import { fleetOf } from '#limits/fleet.ts';
import { type ConnectedRedis, connectRedis } from '#limits/redis-connection.ts';
import { readServerClock } from '#repositories/database-health.ts';
import { readCursorKey, readPlatformPrefix } from '#repositories/reference.ts';
import type { Config } from '#src/config.ts';
import { type OpenedDatabase, openConfiguredDatabase, wrongPrefix } from '../session.ts';
import { examineClocks } from './clocks.ts';
import { examineConfiguration } from './configuration.ts';
import { BOUNDS, examineDatabase, MIGRATE } from './database.ts';
import { type Finding, ok, wrong } from './finding.ts';
import { examineLedger } from './ledger.ts';
import { examinePlace } from './place.ts';
import { countGateways, examineQueue, examineRedis, reachable, readRedisClock, unreachable } from './redis.ts';

export interface Circumstances {
  /** Intended number of serving processes: gateways times workers. */
  processes: number;
  /** Clock of this machine. */
  clock?: Clock;
  /** Thresholds for findings about PostgreSQL. */
  bounds?: Partial<typeof BOUNDS>;
}

/** Runs all examinations. One that cannot be made is a finding. Changes nothing. */
export async function examine(
  config: Config,
  { processes, clock = systemClock, bounds }: Circumstances,
): Promise<Finding[]> {
  const findings = examineConfiguration(config);
  await using stack = new AsyncDisposableStack();
  const clocks: Record<string, ReadClock> = {};
  const redis = await openRedisOrReport(config, findings);
  if (redis !== null) {
    stack.defer(redis.close);
    clocks.Redis = () => readRedisClock(redis);
  }
  const opened = await openDatabaseOrReport(config, findings);
  if (opened !== null) {
    stack.defer(opened.close);
    const { database } = opened;
    const gateways = redis === null ? 0 : await countKnown(redis, database);
    if (redis !== null) findings.push(reachable(gateways));
    const serving = Math.max(processes, gateways);
    findings.push(...(await examineDatabase(database, config, serving, { ...BOUNDS, ...bounds })));
    // Without migrations there is neither a confirmed place nor an archive.
    if (!findings.some(({ check, state }) => check === 'database.migrations' && state === 'wrong'))
      findings.push(...(await examineKept(database, config)));
    clocks.PostgreSQL = () => readServerClock(database);
  }
  if (redis !== null) findings.push(...(await examineRedis(redis)));
  const { accessQueueUrl, redisCa, redisUrl } = config;
  if (accessQueueUrl !== undefined) findings.push(...(await examineQueue(accessQueueUrl, redisCa, redisUrl)));
  return [...findings, ...(await examineClocks(clocks, clock))];
}

/** The database's prefix, place and ledger, and the files beside it. */
async function examineKept(database: Database, config: Config): Promise<Finding[]> {
  const { platformPrefix, revocationJournal, ledgerWitnesses, recordArchive } = config;
  const findings = [
    await examinePrefix(database, platformPrefix),
    ...(await examinePlace(database, revocationJournal)),
    ...(await examineLedger(database, ledgerWitnesses)),
  ];
  if (recordArchive === undefined) return findings;
  // Imported here because many deployments have no archive.
  const { examineArchive } = await import('./archive.ts');
  return [...findings, ...(await examineArchive(database, recordArchive))];
}

/** With another prefix no gateway starts. */
async function examinePrefix(database: Database, configured: string): Promise<Finding> {
  const check = 'database.prefix';
  const prefix = await readPlatformPrefix(database);
  if (configured === prefix) return ok(check, `registry ids begin with ${prefix}, as PLATFORM_PREFIX says`);
  return wrong(check, wrongPrefix(configured, prefix), `set PLATFORM_PREFIX=${prefix}`);
}

async function openDatabaseOrReport(config: Config, findings: Finding[]): Promise<OpenedDatabase | null> {
  if (config.databaseUrl === undefined) {
    // Imported here because it contains a whole PostgreSQL.
    const { hasEmbedded } = await import('#database/embedded.ts');
    if (!hasEmbedded(config.dataDirectory)) {
      findings.push(wrong('database.connection', `there is no database in ${config.dataDirectory} yet`, MIGRATE));
      return null;
    }
  }
  try {
    // Without the journal, since opening would create a missing one.
    return await openConfiguredDatabase({ ...config, revocationJournal: undefined }, { allowOutdated: true });
  } catch (error) {
    findings.push(
      wrong(
        'database.connection',
        (error as Error).message,
        'check DATABASE_URL, the network, certificates and the pooler',
      ),
    );
    return null;
  }
}

async function openRedisOrReport({ redisUrl, redisCa }: Config, findings: Finding[]): Promise<ConnectedRedis | null> {
  if (redisUrl === undefined) return null;
  try {
    return await connectRedis(redisUrl, redisCa);
  } catch (error) {
    findings.push(unreachable(error as Error));
    return null;
  }
}

async function countKnown(redis: ConnectedRedis, database: Database): Promise<number> {
  // Before the first migration there is no key and no gateway.
  const key = await readCursorKey(database).catch(() => null);
  if (key === null) return 0;
  // The next examination reports a server that does not have this key.
  return countGateways(redis, fleetOf(key)).catch(() => 0);
}
