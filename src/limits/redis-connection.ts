// Limits: opens Redis for the limiter, which has no use for late answers.

import { isIP, type Socket } from 'node:net';
import { AbstractConnector, Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import { type RedisAddress, readRedisUrl } from '#core/redis-url.ts';

type TlsOptions = { ca?: string };

// Nothing is queued, resent or retried: the local limiter answers meanwhile, and a command sent twice would count
// twice. A socket silent for 2 s is dropped, because a lost network path would otherwise look like a frozen Redis.
const impatient = {
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 1_000,
  socketTimeout: 2_000,
  disconnectTimeout: 200,
  retryStrategy: reconnectDelay,
  // READONLY comes from the master before a failover. The name in the URL may lead to the new one.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
};

const impatientCluster: ClusterOptions = {
  // The only queue: a Cluster connects to its nodes when they are first needed, and a command may wait that long.
  enableOfflineQueue: true,
  // A Cluster announces its nodes by address. Certificates are checked against the host name given in the URL.
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

// A connection closed during its TLS handshake can emit more than one error. The library only listens for the first, so
// that the second would end the process. It also closes connections to Cluster nodes and Sentinels.
const connector = AbstractConnector.prototype as unknown as { disconnect(this: { stream?: Socket }): void };
const { disconnect } = connector;
connector.disconnect = function () {
  this.stream?.on('error', () => {});
  disconnect.call(this);
};

/**
 * Sends the commands of one turn of the event loop in one write, because writes cost more than the rest of a command.
 * Reconnects until `disconnect` is called: the library gives up for good when a failover is reported while it asks a
 * Sentinel for the master.
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
    // A failure is reported on `error`.
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
 * Opens Redis at `url` (`readRedisUrl`). Certificates must be issued by `ca` (PEM) where it is given. Connects in the
 * background and reports failures on `error`. Throws a TypeError for an invalid URL.
 */
export function openRedis(url: string, ca?: string): Redis | Cluster {
  const address = readRedisUrl(url);
  const { nodes, db } = address;
  const [first = { host: '', port: 0 }] = nodes;
  const options = { ...impatient, ...access(address, ca) };
  if (address.kind === 'single') return new LastingRedis({ ...options, ...first, db, enableOfflineQueue: false });
  if (address.kind === 'sentinel') return new LastingRedis({ ...options, ...sentinels(address, options.tls), db });
  // Nodes are known by address. Certificates are checked against the host name given in the URL.
  const tls = options.tls && !isIP(first.host) ? { tls: { ...options.tls, servername: first.host } } : {};
  return refreshed(new Cluster(nodes, { ...impatientCluster, redisOptions: { ...options, ...tls } }));
}

export interface ConnectedRedis {
  connection: Redis | Cluster;
  close(): void;
}

/** For callers that need Redis: rejects with the connection's last error where Redis does not answer in time. */
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
    // A Cluster connects with the first command. A single server may be a node of a Cluster and own only some keys.
    if (connection instanceof Cluster) await connection.get('portico:doctor');
    return { connection, close };
  } catch (error) {
    close();
    throw last ?? error;
  }
}

/** The library's `slotsRefreshInterval` survives a `disconnect` during a refresh, and would keep the process alive. */
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
    // Sentinels report a new master before the connection to the old one fails.
    failoverDetector: true,
    sentinelRetryStrategy: reconnectDelay,
    // Without this timeout, a Sentinel that accepts connections but never answers would block the others.
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
