// The only reader of the environment: every setting, checked once, all faults listed together.
import { allSettings, type SettingName, type SettingValue } from './configuration/settings.ts';
import { type Environment, readSetting } from './configuration/sources.ts';

export class ConfigurationError extends Error {
  readonly faults: string[];

  constructor(faults: string[]) {
    super(`the configuration is not valid:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigurationError';
    this.faults = faults;
  }
}

/** Reads the settings from `env` and the files it names. Throws a ConfigurationError that lists every fault. */
export function readConfig(env: Environment): Config {
  const faults: string[] = [];
  const values = new Map<SettingName, unknown>();
  const unset = new Set<SettingName>();
  for (const { name } of allSettings()) {
    const { value, fault } = readSetting(name, env);
    values.set(name, value);
    if (fault !== null) faults.push(fault);
    else if (value === undefined) unset.add(name);
  }
  // Where there is a fault, no value of this is used.
  const read: Read = (name) => values.get(name) as never;
  const config = configOf(read);
  faults.push(...faultsTogether(config, read('SMTP_URL'), unset));
  if (faults.length > 0) throw new ConfigurationError(faults);
  return config;
}

type Read = <Name extends SettingName>(name: Name) => SettingValue<Name>;

export type Config = ReturnType<typeof configOf>;

function configOf(read: Read) {
  const smtpUrl = read('SMTP_URL');
  const from = read('MAIL_FROM');
  return {
    /** Absent: the embedded PostgreSQL in `dataDirectory`. */
    databaseUrl: read('DATABASE_URL'),
    databaseReplicaUrls: read('DATABASE_REPLICA_URLS') ?? [],
    databaseConnections: read('DATABASE_CONNECTIONS'),
    /** Of each replica. */
    databaseReplicaConnections: read('DATABASE_REPLICA_CONNECTIONS') ?? read('DATABASE_CONNECTIONS'),
    /** Absent: none is kept, and a person confirms every restored or promoted database. */
    revocationJournal: read('REVOCATION_JOURNAL'),
    /** Absent: limits are kept in this process. Several comma-separated nodes are a Cluster. */
    redisUrl: read('REDIS_URL'),
    /** PEM of the authority that Redis's certificates have to be of. Absent: those that Node trusts. */
    redisCa: read('REDIS_CA'),
    redisPatienceMs: read('REDIS_PATIENCE_MS'),
    onRedisFailure: read('RATE_LIMIT_ON_REDIS_FAILURE'),
    host: read('HOST'),
    port: read('PORT'),
    internalPort: read('INTERNAL_PORT'),
    /** From the signal to stop until connections are closed. */
    drainDelayMs: read('DRAIN_DELAY_MS'),
    /** Addresses or CIDR ranges of the proxies whose X-Forwarded-For counts. */
    trustProxy: read('TRUST_PROXY') ?? [],
    logLevel: read('LOG_LEVEL'),
    platformPrefix: read('PLATFORM_PREFIX'),
    dataDirectory: read('DATA_DIR'),
    /** Usable keys that a firm may have, and days ahead that the expiry of one may lie when it is set; null: any, and keys need none. */
    keyBounds: { most: read('MAX_KEYS_PER_FIRM'), lifetimeDays: read('MAX_KEY_LIFETIME_DAYS') ?? null },
    /** Test clients that a firm may have at a time. */
    maxTestClientsPerFirm: read('MAX_TEST_CLIENTS_PER_FIRM'),
    /** Absent: each process saves its calls in the database by itself. */
    accessQueueUrl: read('ACCESS_QUEUE_URL'),
    /** For how many days calls about clients are kept; absent: for ever. */
    accessRecordDays: read('ACCESS_RECORD_DAYS'),
    /** Directory of the archive of months that are over for longer than that; absent: they are dropped for good. */
    recordArchive: read('RECORD_ARCHIVE'),
    /** For how many days calls are kept there; absent: for ever. */
    recordArchiveDays: read('RECORD_ARCHIVE_DAYS'),
    /** For how many days refused calls that no grant joined to a client are kept for their firms. */
    refusedCallsDays: read('REFUSED_CALLS_DAYS'),
    /** Whom the ledger's checkpoints are sent to, to be cosigned. */
    ledgerWitnesses: read('LEDGER_WITNESSES') ?? [],
    /** For how many days partners may learn of an erased client's removals; then grants end. */
    erasureNoticeDays: read('ERASURE_NOTICE_DAYS'),
    /** Most points a GraphQL operation over HTTP may cost. */
    graphqlCostLimit: read('GRAPHQL_COST_LIMIT'),
    /** Megabytes of responses that a process keeps, to be sent again while they hold. */
    responseCacheMb: read('RESPONSE_CACHE_MB'),
    /** Origin that people's browsers reach the public listener at. Absent: any name that they use for it. */
    portalUrl: read('PORTAL_URL'),
    /** Signs the portal's cookies and seals second factors. Absent: one kept in the database. */
    portalSecret: read('PORTAL_SECRET'),
    /** Of whom the portal requires a second factor. */
    requireSecondFactor: read('REQUIRE_SECOND_FACTOR'),
    identityProviders: read('PORTAL_OIDC') ?? [],
    /** Absent: the portal sends no mail. */
    mail: smtpUrl !== undefined && from !== undefined ? { smtpUrl, from } : undefined,
    production: read('NODE_ENV') === 'production',
    /** Absent: no traces. */
    tracing: tracingOf(read),
  };
}

/** As OpenTelemetry's variables say. */
function tracingOf(read: Read) {
  const collector = read('OTEL_EXPORTER_OTLP_ENDPOINT')?.replace(/\/$/, '');
  const url = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? (collector && `${collector}/v1/traces`);
  const off = read('OTEL_SDK_DISABLED') === 'true' || read('OTEL_TRACES_EXPORTER') === 'none';
  if (url === undefined || off) return undefined;
  const sampler = read('OTEL_TRACES_SAMPLER') ?? '';
  const ratio = sampler.endsWith('ratio') ? read('OTEL_TRACES_SAMPLER_ARG') : sampler.endsWith('_on') ? 1 : 0;
  return { url, ratio, slowMs: read('TRACE_SLOW_MS'), timeoutMs: read('OTEL_EXPORTER_OTLP_TIMEOUT') };
}

/** What is wrong with settings that are right each. One that is wrong is not `unset`: nothing is told to need it. */
function faultsTogether(config: Config, smtpUrl: string | undefined, unset: ReadonlySet<SettingName>): string[] {
  const faults: string[] = [];
  if (smtpUrl !== undefined && unset.has('MAIL_FROM')) faults.push('SMTP_URL needs MAIL_FROM');
  if (smtpUrl !== undefined && unset.has('PORTAL_URL'))
    faults.push('SMTP_URL needs PORTAL_URL: links in mails lead there');
  if (config.identityProviders.length > 0 && unset.has('PORTAL_URL'))
    faults.push('PORTAL_OIDC needs PORTAL_URL: providers send people back there');
  if (config.port !== undefined && config.port !== 0 && config.port === config.internalPort)
    faults.push('PORT and INTERNAL_PORT are the same');
  const isPlain = (name: SettingName, url: string | undefined) => unset.has(name) || url?.includes('rediss') === false;
  const isRedisPlain = isPlain('REDIS_URL', config.redisUrl) && isPlain('ACCESS_QUEUE_URL', config.accessQueueUrl);
  if (config.redisCa !== undefined && isRedisPlain)
    faults.push('REDIS_CA needs a REDIS_URL or ACCESS_QUEUE_URL with rediss: without it nothing is encrypted');
  if (config.recordArchiveDays !== undefined && unset.has('RECORD_ARCHIVE'))
    faults.push('RECORD_ARCHIVE_DAYS needs RECORD_ARCHIVE');
  if ((config.recordArchiveDays ?? Number.POSITIVE_INFINITY) <= (config.accessRecordDays ?? 0))
    faults.push(
      'RECORD_ARCHIVE_DAYS is not more than ACCESS_RECORD_DAYS: months would be removed before they are archived',
    );
  if (config.databaseReplicaUrls.length > 0 && unset.has('DATABASE_URL'))
    faults.push('DATABASE_REPLICA_URLS needs DATABASE_URL');
  return faults;
}
