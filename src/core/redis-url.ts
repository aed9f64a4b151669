// Core: where Redis is: one server, the nodes of a Cluster, or Sentinels that know the master.

export interface HostAndPort {
  host: string;
  port: number;
}

export interface RedisAddress {
  kind: 'single' | 'cluster' | 'sentinel';
  tls: boolean;
  /** Of a single server its own; the Sentinels; some nodes of the Cluster. */
  nodes: HostAndPort[];
  username: string | undefined;
  password: string | undefined;
  db: number;
  /** As Sentinels know it. */
  master: string | undefined;
  /** With which Sentinels are asked, where they want to know. */
  sentinelUsername: string | undefined;
  sentinelPassword: string | undefined;
}

const SEVERAL = /^(rediss?)\+(sentinel|cluster):\/\/([^/?#@]*@)?([^/?#@]+)([/?#].*)?$/;
const PORTS = { single: 6379, cluster: 6379, sentinel: 26379 };

/**
 * Reads `redis://user:password@host:port/db`, `redis+cluster://user:password@host,host`, `redis+sentinel://user:password@host,host/master/db`,
 * each also as `rediss`, and several single URLs with commas between them, which are a Cluster reached as the first one says.
 * Throws a TypeError that repeats nothing of what is no such URL.
 */
export function readRedisUrl(text: string): RedisAddress {
  const [, scheme, kind, access = '', hosts = '', tail = ''] = SEVERAL.exec(text.trim()) ?? [];
  if (scheme === undefined) return readPlain(text);
  const first = parse(`${scheme}://${access}x${tail}`);
  const address = { ...addressOf(first, kind as 'sentinel' | 'cluster'), nodes: [] as HostAndPort[] };
  address.nodes = hosts.split(',').map((host) => nodeOf(parse(`redis://${host.trim()}`), address.kind));
  if (address.kind === 'cluster') return address;
  const [, master = '', db = ''] = first.pathname.split('/');
  if (master === '') throw new TypeError('not the name of a master after the hosts');
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
  if (url === null || !/^rediss?:\/\//i.test(text)) throw new TypeError('not a URL of Redis');
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
  if (!/^\d{0,5}$/.test(text)) throw new TypeError('not the number of a database after the host');
  return Number(text);
}
