// Opens Redis for the limiter, where an answer that comes late is worth nothing.

import { isIP } from 'node:net';
import { Cluster, type ClusterNode, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';

type Access = Pick<RedisOptions, 'username' | 'password' | 'tls'>;

// Nothing is queued, resent or retried: the local limiter answers meanwhile, and a request that was sent twice would
// count twice. A socket that is silent for 2 s is dropped, or a lost network path would look like a frozen Redis.
const impatient = {
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 1_000,
  socketTimeout: 2_000,
  disconnectTimeout: 200,
  retryStrategy: reconnectDelay,
  // A replica that was a master until a failover: the name in the URL may lead to the new one.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
};

const impatientCluster: ClusterOptions = {
  // The one queue that is kept: nodes are connected to when first needed, and a request may wait that long.
  enableOfflineQueue: true,
  // By address, as the Cluster announces its nodes; certificates are checked against the name that was given.
  dnsLookup: (address, callback) => callback(null, address),
  clusterRetryStrategy: reconnectDelay,
  slotsRefreshTimeout: 1_000,
  slotsRefreshInterval: 5_000,
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  retryDelayOnTryAgain: 0,
};

/**
 * `url` is `redis://` or `rediss://` with user, password and `/db`. With a comma it names nodes of a Cluster, one or
 * more, the first one's scheme and credentials holding for all. Connects in the background and reports on `error`.
 * Throws a TypeError when it is no URL.
 */
export function openRedis(url: string): Redis | Cluster {
  if (!url.includes(',')) return new Redis(new URL(url.trim()).href, { ...impatient, enableOfflineQueue: false });
  const scheme = url.trim().startsWith('rediss:') ? 'rediss' : 'redis';
  const nodes = url
    .split(',')
    .map((node) => node.trim())
    .filter((node) => node !== '')
    .map((node) => new URL(node.includes('://') ? node : `${scheme}://${node}`));
  return new Cluster(nodes.map(toNode), { ...impatientCluster, redisOptions: { ...impatient, ...access(nodes[0]) } });
}

function reconnectDelay(attempt: number): number {
  return Math.min(25 * attempt, 500);
}

function toNode(url: URL): ClusterNode {
  return { host: hostOf(url), port: Number(url.port || 6379) };
}

function access(url: URL | undefined): Access {
  const options: Access = {};
  if (url?.username) options.username = decodeURIComponent(url.username);
  if (url?.password) options.password = decodeURIComponent(url.password);
  if (url?.protocol === 'rediss:') options.tls = isIP(hostOf(url)) ? {} : { servername: url.hostname };
  return options;
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}
