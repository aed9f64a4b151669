// Doctor: Redis: whether limits can rest on it.
import { Cluster, type Redis } from 'ioredis';
import { describeFailure } from '#core/certificates.ts';
import { registryKey } from '#limits/fleet.ts';
import type { ConnectedRedis } from '#limits/redis-connection.ts';
import { type Finding, ok, orOk, warning, wrong } from './finding.ts';

const SLOTS = 16_384;

/** How many gateways' processes have said within the last minute that they are there. */
export async function countGateways({ connection }: ConnectedRedis, fleet: string): Promise<number> {
  // One of the fields counts the beats.
  return Math.max(0, (await connection.hlen(registryKey(fleet))) - 1);
}

/** It may go while it is looked at: then that is what is found. */
export const examineRedis = (redis: ConnectedRedis): Promise<Finding[]> =>
  lookAt(redis).catch((error: Error) => [unreachable(error)]);

async function lookAt({ connection }: ConnectedRedis): Promise<Finding[]> {
  const nodes = connection instanceof Cluster ? connection.nodes('master') : [connection];
  const alone = nodes[0] === connection;
  const findings = (await Promise.all(nodes.map((node) => examineNode(node, alone)))).flat();
  if (connection instanceof Cluster) findings.push(...(await examineCluster(connection)));
  return findings;
}

async function examineNode(node: Redis, alone: boolean): Promise<Finding[]> {
  const info = readInfo(await node.info());
  const name = `${node.options.host}:${node.options.port}`;
  const findings: Finding[] = [];
  if (info.role !== 'master')
    findings.push(
      wrong(
        'redis.role',
        `${name} is a replica and takes no writes`,
        'name the master in REDIS_URL, or use Sentinel or Cluster',
      ),
    );
  const bound = Number(info.maxmemory);
  if (bound > 0 && info.maxmemory_policy !== 'noeviction')
    findings.push(
      wrong(
        'redis.eviction',
        `${name} evicts keys (${info.maxmemory_policy}) beyond ${bound} bytes, ${info.evicted_keys} so far: a window that is evicted admits its limit again`,
        'config set maxmemory-policy noeviction',
      ),
    );
  if (bound > 0 && Number(info.used_memory) > 0.9 * bound)
    findings.push(
      warning(
        'redis.memory',
        `${name} uses ${info.used_memory} of ${bound} bytes: it will refuse writes`,
        'raise maxmemory',
      ),
    );
  findings.push(...(await persistence(node, name, info)));
  if (info.cluster_enabled === '1' && alone)
    findings.push(
      wrong(
        'redis.cluster',
        `${name} is a node of a Cluster, but REDIS_URL names a single server`,
        'use redis+cluster:// or name several nodes',
      ),
    );
  return orOk(findings, 'redis.server', `${name}: Redis ${info.redis_version}, nothing evicted, nothing persisted`);
}

/** Windows live for two minutes: to write them to a disk makes requests wait and saves nothing. */
async function persistence(node: Redis, name: string, info: Record<string, string>): Promise<Finding[]> {
  const findings: Finding[] = [];
  const points = await node.config('GET', 'save').then(
    ([, text]) => String(text ?? ''),
    // Managed servers and restricted users: it cannot be known.
    () => '',
  );
  if (points !== '' || info.aof_enabled === '1')
    findings.push(
      warning(
        'redis.persistence',
        `${name} writes to its disk (${[...(points === '' ? [] : [`save ${points}`]), ...(info.aof_enabled === '1' ? ['appendonly'] : [])].join(', ')}): forks and syncs make decisions late, and what is written is of no use after two minutes`,
        'config set save "" and appendonly no, unless others share this Redis',
      ),
    );
  if (info.rdb_last_bgsave_status === 'err')
    findings.push(
      wrong('redis.persistence', `${name} failed to save and may refuse writes`, 'config set save "", or give it disk'),
    );
  return findings;
}

async function examineCluster(cluster: Cluster): Promise<Finding[]> {
  const check = 'redis.cluster';
  const [node] = cluster.nodes('master');
  if (node === undefined) return [wrong(check, 'no master is known', 'look at cluster nodes')];
  const info = readInfo(await node.cluster('INFO'));
  const findings: Finding[] = [];
  if (info.cluster_state !== 'ok' || Number(info.cluster_slots_assigned) < SLOTS || Number(info.cluster_slots_fail) > 0)
    findings.push(
      wrong(
        check,
        `state ${info.cluster_state}, ${info.cluster_slots_assigned} of ${SLOTS} slots assigned, ${info.cluster_slots_fail} failing: limits of some keys are decided without Redis`,
        'redis-cli --cluster check, then --cluster fix',
      ),
    );
  const replicated = new Set(
    (await node.cluster('SLOTS')).flatMap(([, , master, ...replicas]) => (replicas.length > 0 ? [String(master)] : [])),
  );
  const masters = cluster.nodes('master').length;
  if (replicated.size < masters)
    findings.push(
      warning(
        check,
        `${masters - replicated.size} of ${masters} masters have no replica`,
        'add replicas: a master that is lost takes its slots with it',
      ),
    );
  return orOk(findings, check, `${masters} masters with replicas, all slots assigned`);
}

function readInfo(text: string): Record<string, string> {
  const lines = text.split(/\r?\n/).filter((line) => line.includes(':'));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
}

/** Milliseconds since 1970, by the clock of one of its masters. */
export async function readRedisClock({ connection }: ConnectedRedis): Promise<number> {
  const node = connection instanceof Cluster ? connection.nodes('master')[0] : connection;
  const [seconds, microseconds] = (await node?.time()) ?? [0, 0];
  return Number(seconds) * 1_000 + Number(microseconds) / 1_000;
}

export const unreachable = (error: Error): Finding =>
  wrong(
    'redis.connection',
    `Redis does not answer: ${describeFailure(error)}`,
    'look at REDIS_URL, REDIS_CA and the network',
  );

export const reachable = (gateways: number): Finding =>
  ok('redis.connection', `Redis answers; ${gateways} gateway process(es) have said lately that they are there`);
