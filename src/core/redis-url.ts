// Core: addresses of Redis: a single server, nodes of a Cluster, or Sentinels that name the master.

export interface HostAndPort {
  host: string;
  port: number;
}

export interface RedisAddress {
  kind: 'single' | 'cluster' | 'sentinel';
  tls: boolean;
  /** The single server; the Sentinels; or some nodes of the Cluster. */
  nodes: HostAndPort[];
  username: string | undefined;
  password: string | undefined;
  db: number;
  /** The master's name in the Sentinels. */
  master: string | undefined;
  /** Credentials for the Sentinels themselves, where they require them. */
  sentinelUsername: string | undefined;
  sentinelPassword: string | undefined;
}

const SEVERAL = /^(rediss?)\+(sentinel|cluster):\/\/([^/?#@]*@)?([^/?#@]+)([/?#].*)?$/;
const PORTS = { single: 6379, cluster: 6379, sentinel: 26379 };

/**
 * Reads `redis://user:password@host:port/db`, `redis+cluster://user:password@host,host` and
 * `redis+sentinel://user:password@host,host/master/db`, each also as `rediss`. Several single URLs separated by commas
 * are a Cluster with the scheme and credentials of the first. Throws a TypeError whose message contains no part of an
 * invalid URL.
 */
export function readRedisUrl(text: string): RedisAddress {
  const [, scheme, kind, access = '', hosts = '', tail = ''] = SEVERAL.exec(text.trim()) ?? [];
  if (scheme === undefined) return readPlain(text);
  const first = parse(`${scheme}://${access}x${tail}`);
  const address = { ...addressOf(first, kind as 'sentinel' | 'cluster'), nodes: [] as HostAndPort[] };
  address.nodes = hosts.split(',').map((host) => nodeOf(parse(`redis://${host.trim()}`), address.kind));
  if (address.kind === 'cluster') return address;
  const [, master = '', db = ''] = first.pathname.split('/');
  if (master === '') throw new TypeError('no name of a master after the hosts');
  return {
    ...address,
    master: decodeURIComponent(master),
    db: databaseOf(db),
    sentinelUsername: first.searchParams.get('sentinel_username') ?? undefined,
    sentinelPassword: first.searchParams.get('sentinel_password') ?? undefined,
  };
}

function readPlain(text: string): RedisAddress {
  const parts = text.split(',').map((part) => part.trim());
  const scheme = parts[0]?.startsWith('rediss:') ? 'rediss' : 'redis';
  const [first, ...others] = parts
    .filter((part) => part !== '')
    .map((part) => parse(part.includes('://') || part === parts[0] ? part : `${scheme}://${part}`));
  if (first === undefined) throw new TypeError('not a URL');
  const kind = parts.length > 1 ? 'cluster' : 'single';
  const nodes = [first, ...others].map((url) => nodeOf(url, kind));
  return { ...addressOf(first, kind), nodes, db: kind === 'single' ? databaseOf(first.pathname.slice(1)) : 0 };
}

function parse(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^rediss?:\/\//i.test(text)) throw new TypeError('not a Redis URL');
  return url;
}

function addressOf(url: URL, kind: RedisAddress['kind']): Omit<RedisAddress, 'nodes'> {
  return {
    ...{ kind, tls: url.protocol === 'rediss:', db: 0, master: undefined },
    username: decodeURIComponent(url.username) || undefined,
    password: decodeURIComponent(url.password) || undefined,
    ...{ sentinelUsername: undefined, sentinelPassword: undefined },
  };
}

function nodeOf(url: URL, kind: RedisAddress['kind']): HostAndPort {
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || PORTS[kind]) };
}

function databaseOf(text: string): number {
  if (!/^\d{0,5}$/.test(text)) throw new TypeError('what follows the host is not the number of a database');
  return Number(text);
}
