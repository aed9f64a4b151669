// Configuration: every setting. Parsing, explanation and documentation are derived from this table.
import { SECOND_FACTOR_RULES } from '#core/second-factor-rule.ts';
import {
  addressRange,
  certificates,
  databaseUrl,
  databaseUrls,
  type Form,
  identityProviders,
  integer,
  list,
  longSecret,
  matching,
  oneOf,
  origin,
  part,
  path,
  redisUrl,
  text,
  url,
  witness,
} from './forms.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export interface Setting<Value = unknown> {
  form: Form<Value>;
  meaning: string;
  /** The text used when none is given. */
  default?: string;
  /** The behaviour with neither a text nor a default. */
  otherwise?: string;
  /** Never shown. May also be read from the file named by NAME_FILE. */
  secret?: true;
}

export const SETTINGS = {
  DATABASE_URL: {
    form: databaseUrl,
    meaning: 'PostgreSQL; with several hosts (one:5432,two:5432) the primary is used',
    otherwise: 'embedded PostgreSQL in DATA_DIR',
    secret: true,
  },
  DATABASE_REPLICA_URLS: {
    form: databaseUrls,
    meaning: 'read replicas; a request reads from one only if it has everything that the request was admitted on',
    otherwise: 'none',
    secret: true,
  },
  DATABASE_CONNECTIONS: {
    form: integer(1, 1000),
    meaning: 'maximum connections of one process to the primary',
    default: '10',
  },
  DATABASE_REPLICA_CONNECTIONS: {
    form: integer(1, 1000),
    meaning: 'maximum connections of one process to each replica',
    otherwise: 'same as DATABASE_CONNECTIONS',
  },
  REVOCATION_JOURNAL: {
    form: path,
    meaning:
      'file in which every revocation is recorded before it is answered; those that a restored database lacks are repeated',
    otherwise: 'no journal',
  },
  REDIS_URL: {
    form: redisUrl,
    meaning:
      'Redis for the limits: redis://host/db, redis+cluster://one,two or redis+sentinel://one,two/master/db; rediss is encrypted',
    otherwise: 'each process limits by itself',
    secret: true,
  },
  REDIS_CA: {
    form: certificates,
    meaning: 'certificate authority for Redis; for PostgreSQL it is set in the URL (sslmode, sslrootcert)',
    otherwise: 'the authorities that Node trusts',
  },
  REDIS_PATIENCE_MS: {
    form: integer(1, 10_000),
    meaning: 'milliseconds to wait for Redis to decide about a request before the gateway decides',
    default: '50',
  },
  RATE_LIMIT_ON_REDIS_FAILURE: {
    form: oneOf('local', 'deny'),
    meaning: 'while Redis is unavailable: each gateway limits by itself, or answers 503',
    default: 'local',
  },
  HOST: {
    form: text,
    meaning: 'address that both listeners bind to; for a name its first address, IPv4 before IPv6',
    default: '127.0.0.1',
  },
  PORT: { form: integer(0, 65_535), meaning: 'public listener', default: '8080' },
  INTERNAL_PORT: { form: integer(0, 65_535), meaning: 'internal listener', default: '8081' },
  DRAIN_DELAY_MS: {
    form: integer(0, 300_000),
    meaning:
      'milliseconds from the stop signal, or a restart, until connections are closed; meanwhile not ready, but serving',
    default: '0',
  },
  TRUST_PROXY: {
    form: list(addressRange),
    meaning: 'trusted proxies, whose X-Forwarded-For is used',
    otherwise: 'none',
  },
  LOG_LEVEL: { form: oneOf(...LOG_LEVELS), meaning: 'minimum level of log records', default: 'info' },
  PLATFORM_PREFIX: {
    form: matching(/^[A-Z]{2,6}$/, '2 to 6 capital letters'),
    meaning: 'first part of every registry id, fixed per deployment',
    default: 'PTC',
  },
  DATA_DIR: { form: path, meaning: 'directory of the embedded PostgreSQL', default: '.portico' },
  MAX_KEYS_PER_FIRM: {
    form: integer(1, 100_000),
    meaning:
      'maximum usable API keys of a firm; a rotated key counts until its overlap ends, so at the maximum keys are rotated without an overlap',
    default: '100',
  },
  MAX_KEY_LIFETIME_DAYS: {
    form: integer(1, 36_500),
    meaning: 'maximum days until the expiry of an API key when it is set; every key then needs one',
    otherwise: 'no maximum, and keys need no expiry',
  },
  MAX_TEST_CLIENTS_PER_FIRM: {
    form: integer(0, 1_000),
    meaning: 'maximum test clients of a firm at a time; 0 for none',
    default: '10',
  },
  ACCESS_QUEUE_URL: {
    form: redisUrl,
    meaning:
      'Redis through which calls are written to the access record, in the forms of REDIS_URL; use one that writes to disk, and not the one of the limits',
    otherwise: 'each process writes them to PostgreSQL',
    secret: true,
  },
  ACCESS_RECORD_DAYS: {
    form: integer(31, 36_500),
    meaning: 'retention in days of calls about clients in the access record; their sums by day are kept',
    otherwise: 'for ever',
  },
  RECORD_ARCHIVE: {
    form: path,
    meaning:
      'directory of the archive: months past ACCESS_RECORD_DAYS are written there as Parquet files before they are dropped',
    otherwise: 'they are dropped without a copy',
  },
  RECORD_ARCHIVE_DAYS: {
    form: integer(62, 36_500),
    meaning: 'retention in days of calls in the archive, counted from the end of their month like ACCESS_RECORD_DAYS',
    otherwise: 'for ever',
  },
  REFUSED_CALLS_DAYS: {
    form: integer(7, 36_500),
    meaning:
      'retention in days of refused calls of a firm’s keys that no grant joined to a client; their sums by day are kept',
    default: '90',
  },
  LEDGER_WITNESSES: {
    form: list(witness),
    meaning: 'witnesses that cosign the checkpoints of the ledger (C2SP tlog-witness)',
    otherwise: 'none',
  },
  ERASURE_NOTICE_DAYS: {
    form: integer(0, 90),
    meaning:
      'days in which partners can learn by delta sync that an erased client’s items are gone; their grants end after that',
    default: '30',
  },
  GRAPHQL_COST_LIMIT: {
    form: integer(1, 1_000_000),
    meaning: 'maximum cost of a GraphQL operation, in points',
    default: '5000',
  },
  RESPONSE_CACHE_MB: {
    form: integer(0, 100_000),
    meaning: 'maximum megabytes of responses that a process caches; 0 for none',
    default: '64',
  },
  PORTAL_URL: {
    form: origin,
    meaning:
      'origin at which browsers reach the public listener, such as https://portico.example; with https, cookies are Secure',
    otherwise: 'any host name',
  },
  REQUIRE_SECOND_FACTOR: {
    form: oneOf(...SECOND_FACTOR_RULES),
    meaning:
      'who needs a second factor in the portal: staff are firm members and operations; a firm may also require it of its own members',
    default: 'nobody',
  },
  PORTAL_SECRET: {
    form: longSecret,
    meaning:
      'signs cookies and encrypts second factors, so that a copy of the database gives no access; a change invalidates sessions and second factors',
    otherwise: 'a secret stored in the database',
    secret: true,
  },
  PORTAL_OIDC: {
    form: identityProviders,
    meaning: 'OpenID providers of firms, each {id, label, issuer, client_id, client_secret, firm_id, only}',
    otherwise: 'none',
    secret: true,
  },
  SMTP_URL: {
    form: url('smtp:', 'smtps:'),
    meaning: 'mail server',
    otherwise: 'no mail; the command line prints links',
    secret: true,
  },
  MAIL_FROM: {
    form: matching(/^[^\r\n]*[^\s@<>]+@[^\s@<>]+>?$/, 'an e-mail address'),
    meaning: 'sender of mails, such as Portico <no-reply@portico.example>',
    otherwise: 'no mail',
  },
  NODE_ENV: {
    form: text,
    meaning: '"production" switches GraphiQL and Server-Timing off',
    otherwise: 'not production',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    form: url('http:', 'https:'),
    meaning: 'collector for traces by OTLP over HTTP, such as http://localhost:4318',
    otherwise: 'no traces',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    form: url('http:', 'https:'),
    meaning: 'the same for traces only, as a complete URL',
    otherwise: '/v1/traces of OTEL_EXPORTER_OTLP_ENDPOINT',
  },
  OTEL_EXPORTER_OTLP_TIMEOUT: {
    form: integer(1, 60_000),
    meaning: 'timeout of the collector in milliseconds',
    default: '2000',
  },
  OTEL_TRACES_SAMPLER: {
    form: oneOf(
      ...['always_on', 'always_off', 'traceidratio'],
      ...['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'],
    ),
    meaning:
      'which traces are kept in addition to those of failed and slow requests; callers have no influence, so parentbased_ makes no difference',
    default: 'always_on',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    form: part,
    meaning: 'for traceidratio: the fraction of traces that is kept',
    default: '1',
  },
  OTEL_TRACES_EXPORTER: { form: oneOf('otlp', 'none'), meaning: '"none" switches traces off', default: 'otlp' },
  OTEL_SDK_DISABLED: { form: oneOf('true', 'false'), meaning: '"true" switches traces off', default: 'false' },
  TRACE_SLOW_MS: {
    form: integer(0, 1_000_000),
    meaning: 'requests that take at least this many milliseconds are slow, and their traces are kept',
    default: '1000',
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

type ValueOf<S> = S extends { form: Form<infer Value> } ? Value : never;

/** The parsed type of a setting; undefined where it is not set and has no default. */
export type SettingValue<Name extends SettingName> = (typeof SETTINGS)[Name] extends { default: string }
  ? ValueOf<(typeof SETTINGS)[Name]>
  : ValueOf<(typeof SETTINGS)[Name]> | undefined;

/** The settings with their names, in display order. */
export function allSettings(): (Setting & { name: SettingName })[] {
  return Object.entries(SETTINGS).map(([name, setting]) => ({ name: name as SettingName, ...(setting as Setting) }));
}
