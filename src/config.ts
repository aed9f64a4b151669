// The only reader of the environment: every setting, checked once, all faults listed together.
import { isIP } from 'node:net';
import { urlsOfHosts } from '#core/database-url.ts';
import { type IdentityProvider, readIdentityProviders } from '#core/identity-providers.ts';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Config {
  /** Absent: the embedded PostgreSQL in `dataDirectory`. */
  databaseUrl: string | undefined;
  databaseReplicaUrls: string[];
  databaseConnections: number;
  /** Absent: none is kept, and a person confirms every restored or promoted database. */
  revocationJournal: string | undefined;
  /** Absent: limits are kept in this process. Several comma-separated nodes are a Cluster. */
  redisUrl: string | undefined;
  onRedisFailure: 'local' | 'deny';
  host: string;
  port: number;
  internalPort: number;
  /** Addresses or CIDR ranges of the proxies whose X-Forwarded-For counts. */
  trustProxy: string[];
  logLevel: LogLevel;
  platformPrefix: string;
  dataDirectory: string;
  /** Most points a GraphQL operation over HTTP may cost. */
  graphqlCostLimit: number;
  /** Megabytes of responses that a process keeps, to be sent again while they hold. */
  responseCacheMb: number;
  /** Origin that people's browsers reach the public listener at. Absent: any name that they use for it. */
  portalUrl: string | undefined;
  /** Signs the portal's cookies and seals second factors. Absent: one kept in the database. */
  portalSecret: string | undefined;
  identityProviders: IdentityProvider[];
  /** Absent: the portal sends no mail. */
  mail: { smtpUrl: string; from: string } | undefined;
  production: boolean;
}

export class ConfigurationError extends Error {
  readonly faults: string[];

  constructor(faults: string[]) {
    super(`the configuration is not valid:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigurationError';
    this.faults = faults;
  }
}

/** One setting: what the help says of it, and how its text is read. `undefined` stands for "not set". */
export const SETTINGS = {
  DATABASE_URL:
    'postgres://… ; of several hosts (one:5432,two:5432) the primary is used; absent: embedded PostgreSQL in DATA_DIR',
  DATABASE_REPLICA_URLS: 'read replicas, comma-separated postgres://… URLs',
  DATABASE_CONNECTIONS: 'most connections of one process to PostgreSQL (default 10)',
  REVOCATION_JOURNAL:
    'file that is told of every revocation before it is answered; what a restored database lacks of it is done again',
  REDIS_URL: 'redis://… or rediss://… ; several comma-separated nodes are a Cluster; absent: limits in this process',
  RATE_LIMIT_ON_REDIS_FAILURE: '"local" (default): each gateway limits by itself; "deny": 503 while Redis is away',
  HOST: 'address both listeners bind to (default 127.0.0.1)',
  PORT: 'public listener (default 8080)',
  INTERNAL_PORT: 'internal listener (default 8081)',
  TRUST_PROXY: 'addresses or CIDR ranges whose X-Forwarded-For counts, comma-separated (default none)',
  LOG_LEVEL: `${LOG_LEVELS.join(', ')} (default info)`,
  PLATFORM_PREFIX: 'first part of every registry id, 2 to 6 capitals, fixed per deployment (default PTC)',
  DATA_DIR: 'directory of the embedded PostgreSQL (default .portico)',
  GRAPHQL_COST_LIMIT: 'most points a GraphQL operation may cost (default 5000)',
  RESPONSE_CACHE_MB:
    'megabytes of responses that a process keeps and sends again while they hold, 0 for none (default 64)',
  PORTAL_URL: 'origin of the public listener as browsers reach it, such as https://portico.example (default: any name)',
  PORTAL_SECRET: 'signs cookies and seals second factors, 32 characters or more (default: one kept in the database)',
  PORTAL_OIDC: 'OpenID providers of firms: JSON list of {id, label, issuer, client_id, client_secret, firm_id, only}',
  SMTP_URL: 'smtp://… or smtps://… ; absent: no mail, the command line prints links',
  MAIL_FROM: 'sender of mails, such as Portico <no-reply@portico.example>',
  NODE_ENV: '"production" switches GraphiQL off',
} as const;

type Name = keyof typeof SETTINGS;

/** Reads the settings from `env`. Throws a ConfigurationError that lists every fault. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const faults: string[] = [];
  const read = <Value>(name: Name, fallback: Value, parse: Parser): Value => {
    const text = env[name]?.trim();
    if (text === undefined || text === '') return fallback;
    const value = parse(text);
    if (!(value instanceof Fault)) return value as Value;
    faults.push(`${name}: ${value.reason}`);
    return fallback;
  };

  const config: Config = {
    databaseUrl: read('DATABASE_URL', undefined, databaseUrl),
    databaseReplicaUrls: read('DATABASE_REPLICA_URLS', [], list(url('postgres:', 'postgresql:'))),
    databaseConnections: read('DATABASE_CONNECTIONS', 10, integer(1, 1000)),
    revocationJournal: read('REVOCATION_JOURNAL', undefined, (text) => text),
    redisUrl: read('REDIS_URL', undefined, redisUrls),
    onRedisFailure: read('RATE_LIMIT_ON_REDIS_FAILURE', 'local', oneOf(['local', 'deny'] as const)),
    host: read('HOST', '127.0.0.1', (text) => text),
    port: read('PORT', 8080, integer(0, 65_535)),
    internalPort: read('INTERNAL_PORT', 8081, integer(0, 65_535)),
    trustProxy: read('TRUST_PROXY', [], list(addressRange)),
    logLevel: read('LOG_LEVEL', 'info', oneOf(LOG_LEVELS)),
    platformPrefix: read('PLATFORM_PREFIX', 'PTC', matching(/^[A-Z]{2,6}$/, '2 to 6 capital letters')),
    dataDirectory: read('DATA_DIR', '.portico', (text) => text),
    graphqlCostLimit: read('GRAPHQL_COST_LIMIT', 5000, integer(1, 1_000_000)),
    responseCacheMb: read('RESPONSE_CACHE_MB', 64, integer(0, 100_000)),
    portalUrl: read('PORTAL_URL', undefined, origin),
    portalSecret: read('PORTAL_SECRET', undefined, secret),
    identityProviders: read('PORTAL_OIDC', [], identityProviders),
    mail: undefined,
    production: env.NODE_ENV === 'production',
  };
  const smtpUrl = read('SMTP_URL', undefined, url('smtp:', 'smtps:'));
  const from = read('MAIL_FROM', undefined, matching(/^[^\r\n]*[^\s@<>]+@[^\s@<>]+>?$/, 'an e-mail address'));
  if (smtpUrl !== undefined && from !== undefined) config.mail = { smtpUrl, from };
  else if (smtpUrl !== undefined) faults.push('SMTP_URL needs MAIL_FROM');
  if (smtpUrl !== undefined && config.portalUrl === undefined)
    faults.push('SMTP_URL needs PORTAL_URL: links in mails lead there');
  if (config.identityProviders.length > 0 && config.portalUrl === undefined)
    faults.push('PORTAL_OIDC needs PORTAL_URL: providers send people back there');
  if (config.port !== 0 && config.port === config.internalPort) faults.push('PORT and INTERNAL_PORT are the same');
  if (config.databaseReplicaUrls.length > 0 && config.databaseUrl === undefined)
    faults.push('DATABASE_REPLICA_URLS needs DATABASE_URL');
  if (faults.length > 0) throw new ConfigurationError(faults);
  return config;
}

class Fault {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a parser yields its value or a Fault; read() tells them apart.
type Parser = (text: string) => any;

const matching =
  (pattern: RegExp, wanted: string): Parser =>
  (text) =>
    pattern.test(text) ? text : new Fault(`"${text}" is not ${wanted}`);

const oneOf =
  (values: readonly string[]): Parser =>
  (text) =>
    values.includes(text) ? text : new Fault(`"${text}" is none of ${values.join(', ')}`);

const integer =
  (min: number, max: number): Parser =>
  (text) =>
    /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max
      ? Number(text)
      : new Fault(`"${text}" is not a whole number from ${min} to ${max}`);

// The text of a URL may hold a password: it is never repeated in a fault.
const url =
  (...protocols: string[]): Parser =>
  (text) =>
    protocols.includes(URL.parse(text)?.protocol ?? '')
      ? text
      : new Fault(`not a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`);

/** One host or several; whichever is asked for, only a primary will do. */
const databaseUrl: Parser = (text) => {
  const urls = urlsOfHosts(text).map(url('postgres:', 'postgresql:'));
  const fault = urls.find((one) => one instanceof Fault);
  if (fault !== undefined) return fault;
  const parameters = URL.parse(urls[0])?.searchParams;
  if (!['read-write', 'primary'].includes(parameters?.get('target_session_attrs') ?? 'read-write'))
    return new Fault('target_session_attrs can be read-write only');
  return parameters?.get('host')?.includes(',') ? new Fault('several hosts stand before the path, with commas') : text;
};

const list =
  (parse: Parser): Parser =>
  (text) => {
    const values = text.split(',').map((part) => parse(part.trim()));
    return values.find((value) => value instanceof Fault) ?? values;
  };

const origin: Parser = (text) => {
  const parsed = URL.parse(text);
  const sound = parsed !== null && ['http:', 'https:'].includes(parsed.protocol) && parsed.username === '';
  return sound && parsed.href === `${parsed.origin}/`
    ? parsed.origin
    : new Fault(`"${text}" is not an origin like https://portico.example`);
};

const secret: Parser = (text) => (text.length >= 32 ? text : new Fault('shorter than 32 characters'));

const identityProviders: Parser = (text) => {
  const providers = readIdentityProviders(text);
  return typeof providers === 'string' ? new Fault(providers) : providers;
};

const redisUrls: Parser = (text) => {
  const nodes = list(url('redis:', 'rediss:'))(text);
  return nodes instanceof Fault ? nodes : text;
};

const addressRange: Parser = (text) => {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  const widest = family === 4 ? 32 : 128;
  const sound = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= widest);
  return family !== 0 && sound && rest.length === 0 ? text : new Fault(`"${text}" is not an address or CIDR range`);
};
