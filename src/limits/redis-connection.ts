// Opens Redis for the limiter, where an answer that comes late is worth nothing.

import { isIP, type Socket } from 'node:net';
import { AbstractConnector, Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import { type RedisAddress, readRedisUrl } from '#core/redis-url.ts';

type TlsOptions = { ca?: string };

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
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  retryDelayOnTryAgain: 0,
};

const SLOTS_REFRESH_MS = 5_000;
const CONNECT_MS = 5_000;
const SENTINEL_MS = 1_000;

// A connection that is closed during its TLS handshake can have more than one error, and the library listens for the first
// only, so that the second would end the process. It closes connections of its own, of Cluster nodes and Sentinels, too.
const connector = AbstractConnector.prototype as unknown as { disconnect(this: { stream?: Socket }): void };
const { disconnect } = connector;
connector.disconnect = function () {
  this.stream?.on('error', () => {});
  disconnect.call(this);
};

/**
 * Commands of one turn of the event loop go out in one write, which costs more than all else that a command does. And only
 * `disconnect` ends it: the library gives up for good where it hears of a failover while it asks a Sentinel for the master.
 */
class LastingRedis extends Redis {
  #closed = false;

  constructor(options: RedisOptions & { replyMapping?: 'legacy' }) {
    super(options);
    this.on('end', () => {
      if (!this.#closed) setTimeout(() => this.#reopen(), reconnectDelay(1)).unref();
    });
  }

  #reopen(): void {
    // Why it does not come about is told on `error`.
    if (!this.#closed) this.connect().catch(() => {});
  }

  override disconnect(reconnect = false): void {
    this.#closed ||= !reconnect;
    super.disconnect(reconnect);
  }

  override sendCommand(...sent: Parameters<Redis['sendCommand']>): unknown {
    const { stream } = this;
    if (stream?.writableCorked === 0) {
      stream.cork();
      setImmediate(() => stream.uncork());
    }
    return super.sendCommand(...sent);
  }
}

/**
 * Opens what `url` names (`readRedisUrl`); certificates have to be of `ca`, as PEM, where it is given. Connects in the background
 * and reports on `error`. Throws a TypeError when it is no URL.
 */
export function openRedis(url: string, ca?: string): Redis | Cluster {
  const address = readRedisUrl(url);
  const { nodes, db } = address;
  const [first = { host: '', port: 0 }] = nodes;
  const options = { ...impatient, ...access(address, ca) };
  if (address.kind === 'single') return new LastingRedis({ ...options, ...first, db, enableOfflineQueue: false });
  if (address.kind === 'sentinel') return new LastingRedis({ ...options, ...sentinels(address, options.tls), db });
  // Nodes are known by address, and certificates are checked against the name that was given.
  const tls = options.tls && !isIP(first.host) ? { tls: { ...options.tls, servername: first.host } } : {};
  return refreshed(new Cluster(nodes, { ...impatientCluster, redisOptions: { ...options, ...tls } }));
}

export interface ConnectedRedis {
  connection: Redis | Cluster;
  close(): void;
}

/** For those that have nothing to do without it: fails with what the connection said last, where Redis does not answer in time. */
export async function connectRedis(url: string, ca?: string): Promise<ConnectedRedis> {
  const connection = openRedis(url, ca);
  let last: Error | undefined;
  connection.on('error', (error: Error) => {
    last = error;
  });
  const close = () => connection.disconnect();
  try {
    await new Promise<void>((resolve, reject) => {
      connection.once('ready', resolve);
      setTimeout(() => reject(last ?? new Error('no answer')), CONNECT_MS).unref();
    });
    // A Cluster connects to its nodes when it first asks them; a single server may be a node of one, and then owns few keys.
    if (connection instanceof Cluster) await connection.get('portico:doctor');
    return { connection, close };
  } catch (error) {
    close();
    throw last ?? error;
  }
}

/** The library's own `slotsRefreshInterval` goes on after `disconnect` where a refresh is under way, and keeps the process for good. */
function refreshed(cluster: Cluster): Cluster {
  const timer = setInterval(() => cluster.refreshSlotsCache(), SLOTS_REFRESH_MS).unref();
  return cluster.once('end', () => clearInterval(timer));
}

function sentinels({ nodes, master, ...address }: RedisAddress, tls: TlsOptions | undefined) {
  return {
    ...{ sentinels: nodes, name: master ?? '', enableOfflineQueue: false },
    ...(address.sentinelUsername === undefined ? {} : { sentinelUsername: address.sentinelUsername }),
    ...(address.sentinelPassword === undefined ? {} : { sentinelPassword: address.sentinelPassword }),
    ...(tls === undefined ? {} : { sentinelTLS: tls, enableTLSForSentinelMode: true }),
    // Sentinels tell of a new master before the old one's connection says anything.
    failoverDetector: true,
    sentinelRetryStrategy: reconnectDelay,
    // One that accepts connections and says nothing would be waited for without end, in place of the others.
    sentinelCommandTimeout: SENTINEL_MS,
  };
}

function reconnectDelay(attempt: number): number {
  return Math.min(25 * attempt, 500);
}

function access({ username, password, tls }: RedisAddress, ca: string | undefined) {
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls ? { tls: (ca === undefined ? {} : { ca }) as TlsOptions } : {}),
  };
}
