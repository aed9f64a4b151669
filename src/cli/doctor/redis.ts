// Doctor: Redis: whether it is fit for limits, or for the access record's queue.
import { Cluster, type Redis } from 'ioredis';
import { describeFailure } from '#core/certificates.ts';
import { readRedisUrl } from '#core/redis-url.ts';
import { registryKey } from '#limits/fleet.ts';
import { type ConnectedRedis, connectRedis } from '#limits/redis-connection.ts';
import { readEntry } from '#limits/redis-limiter.ts';
import { examining, type Finding, ok, warning, wrong } from './finding.ts';

const SLOTS = 16_384;

/** Number of gateway processes that were heard of within the last minute and have not stopped since. */
export async function countGateways({ connection }: ConnectedRedis, fleet: string): Promise<number> {
  const entries = await connection.hvals(registryKey(fleet));
  return entries.filter((entry) => readEntry(entry)?.left === false).length;
}

/** The use of a Redis: the names of its checks, and what it requires. */
interface Purpose {
  checks: string;
  setting: string;
  /** Consequence of evicted keys. */
  evicted: string;
  persistence: (node: Redis, name: string, info: Record<string, string>) => Promise<Finding[]>;
  /** Text if there are no findings. */
  well: string;
}

const LIMITS: Purpose = {
  ...{ checks: 'redis', setting: 'REDIS_URL', well: 'no eviction, no persistence' },
  evicted: 'a key whose window is evicted gets its whole limit again',
  persistence: forgetful,
};

const QUEUE: Purpose = {
  ...{ checks: 'queue', setting: 'ACCESS_QUEUE_URL', well: 'no eviction, writes go to disk (appendonly yes)' },
  evicted: 'access records waiting in it are lost',
  persistence: lasting,
};

/** The connection may be lost during the examination; then that is the finding. */
export const examineRedis = (redis: ConnectedRedis): Promise<Finding[]> =>
  examineConnection(redis, LIMITS).catch((error: Error) => [unreachable(error)]);

/** The same for the queue's Redis at `url`; `limitsUrl` is that of the limits. */
export async function examineQueue(
  url: string,
  ca: string | undefined,
  limitsUrl: string | undefined,
): Promise<Finding[]> {
  const shared = limitsUrl !== undefined && isSame(url, limitsUrl);
  try {
    const redis = await connectRedis(url, ca);
    try {
      return [...(shared ? [SHARED] : []), ...(await examineConnection(redis, QUEUE))];
    } finally {
      redis.close();
    }
  } catch (error) {
    return [unreachable(error as Error, QUEUE)];
  }
}

const SHARED = warning(
  'queue.server',
  'the queue is in the Redis of the limits: limits need no persistence, the queue needs every write persisted, and if it fills Redis, limits are decided without Redis',
  'set ACCESS_QUEUE_URL to another Redis',
);

function isSame(one: string, other: string): boolean {
  const nodes = (url: string) => readRedisUrl(url).nodes.map(({ host, port }) => `${host}:${port}`);
  const others = nodes(other);
  return nodes(one).some((node) => others.includes(node));
}

async function examineConnection({ connection }: ConnectedRedis, purpose: Purpose): Promise<Finding[]> {
  const nodes = connection instanceof Cluster ? connection.nodes('master') : [connection];
  const alone = nodes[0] === connection;
  const findings = (await Promise.all(nodes.map((node) => examineNode(node, alone, purpose)))).flat();
  if (connection instanceof Cluster) findings.push(...(await examineCluster(connection, purpose)));
  return findings;
}

async function examineNode(node: Redis, alone: boolean, purpose: Purpose): Promise<Finding[]> {
  const { checks, setting, evicted } = purpose;
  const info = readInfo(await node.info());
  const name = `${node.options.host}:${node.options.port}`;
  const findings: Finding[] = [];
  const of = (what: string) => examining(`${checks}.${what}`, findings);
  if (info.role !== 'master')
    of('role').wrong(
      `${name} is a replica and accepts no writes`,
      `set ${setting} to the master, or use Sentinel or Cluster`,
    );
  const bound = Number(info.maxmemory);
  if (bound > 0 && info.maxmemory_policy !== 'noeviction')
    of('eviction').wrong(
      `${name} evicts keys (${info.maxmemory_policy}) beyond ${bound} bytes, ${info.evicted_keys} until now: ${evicted}`,
      'config set maxmemory-policy noeviction',
    );
  if (bound > 0 && Number(info.used_memory) > 0.9 * bound)
    of('memory').warning(
      `${name} uses ${info.used_memory} of ${bound} bytes: at the maximum it refuses writes`,
      'raise maxmemory',
    );
  findings.push(...(await purpose.persistence(node, name, info)));
  if (info.cluster_enabled === '1' && alone)
    of('cluster').wrong(
      `${name} is a node of a Cluster, but ${setting} names a single server`,
      'use redis+cluster://, or list several nodes',
    );
  return of('server').orOk(`${name}: Redis ${info.redis_version}, ${purpose.well}`);
}

/**
 * Requires no persistence: windows live for two minutes, so that writing them to a disk delays requests and saves
 * nothing.
 */
async function forgetful(node: Redis, name: string, info: Record<string, string>): Promise<Finding[]> {
  const findings: Finding[] = [];
  const report = examining('redis.persistence', findings);
  const points = await readSetting(node, 'save');
  const ways = [...(points === '' ? [] : [`save ${points}`]), ...(info.aof_enabled === '1' ? ['appendonly'] : [])];
  if (ways.length > 0)
    report.warning(
      `${name} writes to its disk (${ways.join(', ')}): forks and syncs delay decisions, and the data is useless after two minutes`,
      'config set save "" and appendonly no, unless something else uses this Redis',
    );
  if (info.rdb_last_bgsave_status === 'err')
    report.wrong(`${name} failed to save and may refuse writes`, 'config set save "", or free disk space');
  return findings;
}

/** Requires persistence: records in the queue are nowhere else until they are saved. */
async function lasting(node: Redis, name: string, info: Record<string, string>): Promise<Finding[]> {
  const check = 'queue.persistence';
  if (info.aof_enabled !== '1')
    return [
      wrong(
        check,
        `${name} does not write each change to its disk (appendonly no): access records waiting in it are lost when it stops`,
        'config set appendonly yes, and in its configuration file',
      ),
    ];
  if (info.aof_last_write_status === 'err')
    return [wrong(check, `${name} failed to write to its disk and refuses writes`, 'free disk space')];
  if ((await readSetting(node, 'appendfsync')) !== 'no') return [];
  return [
    warning(
      check,
      `${name} leaves writing to the operating system (appendfsync no): up to 30 seconds of writes are lost with the machine`,
      'config set appendfsync everysec',
    ),
  ];
}

/** Empty if it cannot be read, as on managed servers and for restricted users. */
const readSetting = (node: Redis, name: string): Promise<string> =>
  node.config('GET', name).then(
    ([, text]) => String(text ?? ''),
    () => '',
  );

async function examineCluster(cluster: Cluster, { checks }: Purpose): Promise<Finding[]> {
  const check = `${checks}.cluster`;
  const [node] = cluster.nodes('master');
  if (node === undefined) return [wrong(check, 'no master is known', 'check the output of cluster nodes')];
  const info = readInfo(await node.cluster('INFO'));
  const report = examining(check);
  if (info.cluster_state !== 'ok' || Number(info.cluster_slots_assigned) < SLOTS || Number(info.cluster_slots_fail) > 0)
    report.wrong(
      `state ${info.cluster_state}, ${info.cluster_slots_assigned} of ${SLOTS} slots assigned, ${info.cluster_slots_fail} failing: limits of some keys are decided without Redis`,
      'redis-cli --cluster check, then --cluster fix',
    );
  const replicated = new Set(
    (await node.cluster('SLOTS')).flatMap(([, , master, ...replicas]) => (replicas.length > 0 ? [String(master)] : [])),
  );
  const masters = cluster.nodes('master').length;
  if (replicated.size < masters)
    report.warning(
      `${masters - replicated.size} of ${masters} masters have no replica`,
      'add replicas: without one, the slots of a lost master are lost',
    );
  return report.orOk(`${masters} masters with replicas, all slots assigned`);
}

function readInfo(text: string): Record<string, string> {
  const lines = text.split(/\r?\n/).filter((line) => line.includes(':'));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
}

/** Unix milliseconds by the clock of one of its masters. */
export async function readRedisClock({ connection }: ConnectedRedis): Promise<number> {
  const node = connection instanceof Cluster ? connection.nodes('master')[0] : connection;
  const [seconds, microseconds] = (await node?.time()) ?? [0, 0];
  return Number(seconds) * 1_000 + Number(microseconds) / 1_000;
}

export const unreachable = (error: Error, { checks, setting }: Purpose = LIMITS): Finding =>
  wrong(
    `${checks}.connection`,
    `Redis does not answer: ${describeFailure(error)}`,
    `check ${setting}, REDIS_CA and the network`,
  );

export const reachable = (gateways: number): Finding =>
  ok('redis.connection', `Redis answers; ${gateways} gateway process(es) are registered with it`);
