// Doctor: everything that is looked at, in the order in which things rest on each other.
import { type Clock, type ReadClock, systemClock } from '#core/clock.ts';
import type { Database } from '#database/database.ts';
import { fleetOf } from '#limits/fleet.ts';
import { type ConnectedRedis, connectRedis } from '#limits/redis-connection.ts';
import { readServerClock } from '#repositories/database-health.ts';
import { readCursorKey } from '#repositories/reference.ts';
import type { Config } from '#src/config.ts';
import { type OpenedDatabase, openConfiguredDatabase } from '../session.ts';
import { examineClocks } from './clocks.ts';
import { examineConfiguration } from './configuration.ts';
import { BOUNDS, examineDatabase } from './database.ts';
import { type Finding, wrong } from './finding.ts';
import { examineLedger } from './ledger.ts';
import { examinePlace } from './place.ts';
import { countGateways, examineQueue, examineRedis, reachable, readRedisClock, unreachable } from './redis.ts';

export interface Circumstances {
  /** How many processes are to serve: gateways times workers. */
  processes: number;
  /** This machine's. */
  clock?: Clock;
  /** From where on PostgreSQL is told of. */
  bounds?: Partial<typeof BOUNDS>;
}

/** Looks at everything; what cannot be looked at is a finding. Changes nothing. */
export async function examine(
  config: Config,
  { processes, clock = systemClock, bounds }: Circumstances,
): Promise<Finding[]> {
  const findings = examineConfiguration(config);
  await using stack = new AsyncDisposableStack();
  const clocks: Record<string, ReadClock> = {};
  const redis = await openRedisOrSay(config, findings);
  if (redis !== null) {
    stack.defer(redis.close);
    clocks.Redis = () => readRedisClock(redis);
  }
  const opened = await openDatabaseOrSay(config, findings);
  if (opened !== null) {
    stack.defer(opened.close);
    const { database } = opened;
    const gateways = redis === null ? 0 : await countKnown(redis, database);
    if (redis !== null) findings.push(reachable(gateways));
    const serving = Math.max(processes, gateways);
    findings.push(...(await examineDatabase(database, config, serving, { ...BOUNDS, ...bounds })));
    // Where nothing was migrated, nobody can have vouched for it, and nothing was archived.
    if (!findings.some(({ check, state }) => check === 'database.migrations' && state === 'wrong'))
      findings.push(...(await examineKept(database, config)));
    clocks.PostgreSQL = () => readServerClock(database);
  }
  if (redis !== null) findings.push(...(await examineRedis(redis)));
  const { accessQueueUrl, redisCa, redisUrl } = config;
  if (accessQueueUrl !== undefined) findings.push(...(await examineQueue(accessQueueUrl, redisCa, redisUrl)));
  return [...findings, ...(await examineClocks(clocks, clock))];
}

/** Where the database stands, its ledger, and what is kept beside it. */
async function examineKept(database: Database, config: Config): Promise<Finding[]> {
  const { revocationJournal, ledgerWitnesses, recordArchive } = config;
  const findings = [
    ...(await examinePlace(database, revocationJournal)),
    ...(await examineLedger(database, ledgerWitnesses)),
  ];
  if (recordArchive === undefined) return findings;
  // Here, not above: many have none.
  const { examineArchive } = await import('./archive.ts');
  return [...findings, ...(await examineArchive(database, recordArchive))];
}

async function openDatabaseOrSay(config: Config, findings: Finding[]): Promise<OpenedDatabase | null> {
  try {
    // Without the journal, which opening would begin where there is none.
    return await openConfiguredDatabase({ ...config, revocationJournal: undefined }, { allowOutdated: true });
  } catch (error) {
    findings.push(
      wrong(
        'database.connection',
        (error as Error).message,
        'look at DATABASE_URL, the network, certificates and the pooler',
      ),
    );
    return null;
  }
}

async function openRedisOrSay({ redisUrl, redisCa }: Config, findings: Finding[]): Promise<ConnectedRedis | null> {
  if (redisUrl === undefined) return null;
  try {
    return await connectRedis(redisUrl, redisCa);
  } catch (error) {
    findings.push(unreachable(error as Error));
    return null;
  }
}

async function countKnown(redis: ConnectedRedis, database: Database): Promise<number> {
  // Before the first migration there is no key, and no gateway.
  const key = await readCursorKey(database).catch(() => null);
  if (key === null) return 0;
  // A server that does not own that key is told by what is looked at next.
  return countGateways(redis, fleetOf(key)).catch(() => 0);
}
