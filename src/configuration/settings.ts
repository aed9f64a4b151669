// Configuration: every setting. What reads them, explains them and documents them is made of this table.
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
  /** The text that counts where none is given. */
  default?: string;
  /** What happens where there is neither a text nor a default. */
  otherwise?: string;
  /** Never shown; may also be read from the file that NAME_FILE names. */
  secret?: true;
}

export const SETTINGS = {
  DATABASE_URL: {
    form: databaseUrl,
    meaning: 'PostgreSQL; of several hosts (one:5432,two:5432) the primary is used',
    otherwise: 'embedded PostgreSQL in DATA_DIR',
    secret: true,
  },
  DATABASE_REPLICA_URLS: {
    form: databaseUrls,
    meaning: 'read replicas; one is read only when it has everything that the request was admitted on',
    otherwise: 'none',
    secret: true,
  },
  DATABASE_CONNECTIONS: {
    form: integer(1, 1000),
    meaning: 'most connections of one process to the primary',
    default: '10',
  },
  DATABASE_REPLICA_CONNECTIONS: {
    form: integer(1, 1000),
    meaning: 'most connections of one process to each replica',
    otherwise: 'as DATABASE_CONNECTIONS',
  },
  REVOCATION_JOURNAL: {
    form: path,
    meaning:
      'file that is told of every revocation before it is answered; what a restored database lacks of it is done again',
    otherwise: 'none is kept',
  },
  REDIS_URL: {
    form: redisUrl,
    meaning:
      'Redis for the limits: redis://host/db, redis+cluster://one,two or redis+sentinel://one,two/master/db; rediss is encrypted',
    otherwise: 'limits in this process',
    secret: true,
  },
  REDIS_CA: {
    form: certificates,
    meaning:
      'the authority that certificates of Redis have to be of; of PostgreSQL, the URL says it (sslmode, sslrootcert)',
    otherwise: 'those that Node trusts',
  },
  REDIS_PATIENCE_MS: {
    form: integer(1, 10_000),
    meaning: 'milliseconds that Redis may take to decide about a request, before the gateway does',
    default: '50',
  },
  RATE_LIMIT_ON_REDIS_FAILURE: {
    form: oneOf('local', 'deny'),
    meaning: 'while Redis is away: each gateway limits by itself, or answers 503',
    default: 'local',
  },
  HOST: {
    form: text,
    meaning: 'address that both listeners bind to; of a name its first, IPv4 before IPv6',
    default: '127.0.0.1',
  },
  PORT: { form: integer(0, 65_535), meaning: 'public listener', default: '8080' },
  INTERNAL_PORT: { form: integer(0, 65_535), meaning: 'internal listener', default: '8081' },
  DRAIN_DELAY_MS: {
    form: integer(0, 300_000),
    meaning: 'milliseconds from the signal to stop, or a restart, until connections are closed: not ready, but serving',
    default: '0',
  },
  TRUST_PROXY: {
    form: list(addressRange),
    meaning: 'proxies whose X-Forwarded-For counts',
    otherwise: 'none',
  },
  LOG_LEVEL: { form: oneOf(...LOG_LEVELS), meaning: 'least level that is logged', default: 'info' },
  PLATFORM_PREFIX: {
    form: matching(/^[A-Z]{2,6}$/, '2 to 6 capital letters'),
    meaning: 'first part of every registry id, fixed per deployment',
    default: 'PTC',
  },
  DATA_DIR: { form: path, meaning: 'directory of the embedded PostgreSQL', default: '.portico' },
  MAX_KEYS_PER_FIRM: {
    form: integer(1, 100_000),
    meaning:
      'most usable API keys of a firm; a rotated key counts until its overlap ends, so with all of them it is rotated without one',
    default: '100',
  },
  MAX_KEY_LIFETIME_DAYS: {
    form: integer(1, 36_500),
    meaning: 'how many days ahead the expiry of an API key may lie when it is set; then each key has one',
    otherwise: 'any, and keys need none',
  },
  MAX_TEST_CLIENTS_PER_FIRM: {
    form: integer(0, 1_000),
    meaning: 'most test clients that a firm may have at a time; 0 for none',
    default: '10',
  },
  ACCESS_QUEUE_URL: {
    form: redisUrl,
    meaning:
      'Redis through which calls are written to the access record, in the forms of REDIS_URL; one that writes to its disk, and not the one of the limits',
    otherwise: 'each process writes them to PostgreSQL',
    secret: true,
  },
  ACCESS_RECORD_DAYS: {
    form: integer(31, 36_500),
    meaning: 'days that calls about clients stay on the access record; their sums by day stay',
    otherwise: 'for ever',
  },
  RECORD_ARCHIVE: {
    form: path,
    meaning:
      'directory of the archive: months that ACCESS_RECORD_DAYS ends are written there as Parquet files before they are dropped',
    otherwise: 'they are dropped for good',
  },
  RECORD_ARCHIVE_DAYS: {
    form: integer(62, 36_500),
    meaning: 'days that calls stay in the archive, counted from the end of their month like ACCESS_RECORD_DAYS',
    otherwise: 'for ever',
  },
  REFUSED_CALLS_DAYS: {
    form: integer(7, 36_500),
    meaning:
      'days for which firms see refused calls of their keys that no grant joined to a client; their sums by day stay',
    default: '90',
  },
  LEDGER_WITNESSES: {
    form: list(witness),
    meaning: 'who cosigns the checkpoints of the ledger (C2SP tlog-witness)',
    otherwise: 'nobody',
  },
  ERASURE_NOTICE_DAYS: {
    form: integer(0, 90),
    meaning:
      'days for which partners may learn by delta sync that an erased client’s items are gone; then their grants end',
    default: '30',
  },
  GRAPHQL_COST_LIMIT: {
    form: integer(1, 1_000_000),
    meaning: 'most points that a GraphQL operation may cost',
    default: '5000',
  },
  RESPONSE_CACHE_MB: {
    form: integer(0, 100_000),
    meaning: 'megabytes of responses that a process keeps and sends again while they hold; 0 for none',
    default: '64',
  },
  PORTAL_URL: {
    form: origin,
    meaning:
      'origin at which browsers reach the public listener, such as https://portico.example; with https, cookies are Secure',
    otherwise: 'any name',
  },
  REQUIRE_SECOND_FACTOR: {
    form: oneOf(...SECOND_FACTOR_RULES),
    meaning:
      'of whom the portal requires a second factor: staff are firm members and operations; a firm may require it of its own members besides',
    default: 'nobody',
  },
  PORTAL_SECRET: {
    form: longSecret,
    meaning:
      'signs cookies and seals second factors, so that a copy of the database opens nothing; another one ends sessions and second factors',
    otherwise: 'one kept in the database',
    secret: true,
  },
  PORTAL_OIDC: {
    form: identityProviders,
    meaning: 'OpenID providers of firms: {id, label, issuer, client_id, client_secret, firm_id, only} each',
    otherwise: 'none',
    secret: true,
  },
  SMTP_URL: {
    form: url('smtp:', 'smtps:'),
    meaning: 'mail server',
    otherwise: 'no mail, the command line prints links',
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
    meaning: 'collector that traces are sent to by OTLP over HTTP, such as http://localhost:4318',
    otherwise: 'no traces',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    form: url('http:', 'https:'),
    meaning: 'the same for traces alone: the whole URL',
    otherwise: '/v1/traces of OTEL_EXPORTER_OTLP_ENDPOINT',
  },
  OTEL_EXPORTER_OTLP_TIMEOUT: {
    form: integer(1, 60_000),
    meaning: 'milliseconds that the collector may take',
    default: '2000',
  },
  OTEL_TRACES_SAMPLER: {
    form: oneOf(
      ...['always_on', 'always_off', 'traceidratio'],
      ...['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'],
    ),
    meaning:
      'which traces are kept besides those of failed and slow requests; callers decide nothing, so parentbased_ is the same',
    default: 'always_on',
  },
  OTEL_TRACES_SAMPLER_ARG: { form: part, meaning: 'of traceidratio: the part that is kept', default: '1' },
  OTEL_TRACES_EXPORTER: { form: oneOf('otlp', 'none'), meaning: '"none" switches traces off', default: 'otlp' },
  OTEL_SDK_DISABLED: { form: oneOf('true', 'false'), meaning: '"true" switches traces off', default: 'false' },
  TRACE_SLOW_MS: {
    form: integer(0, 1_000_000),
    meaning: 'milliseconds from which on a request is slow, and its trace kept',
    default: '1000',
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

type ValueOf<S> = S extends { form: Form<infer Value> } ? Value : never;

/** What a setting is read as: undefined where it is not set and has no default. */
export type SettingValue<Name extends SettingName> = (typeof SETTINGS)[Name] extends { default: string }
  ? ValueOf<(typeof SETTINGS)[Name]>
  : ValueOf<(typeof SETTINGS)[Name]> | undefined;

/** The rows, each with its name, in the order in which they are shown. */
export function allSettings(): (Setting & { name: SettingName })[] {
  return Object.entries(SETTINGS).map(([name, setting]) => ({ name: name as SettingName, ...(setting as Setting) }));
}
