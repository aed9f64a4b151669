// The only reader of the environment: checks every setting and reports all faults together.
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

/** Reads the settings from `env` and the files named there. Throws a ConfigurationError that lists every fault. */
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
  // With a fault, this value is never used.
  const read: Read = (name) => values.get(name) as never;
  const config = configOf(read);
  faults.push(...faultsTogether(config, read('SMTP_URL'), unset));
  if (faults.length > 0) throw new ConfigurationError(faults);
  return config;
}

type Read = <Name extends SettingName>(name: Name) => SettingValue<Name>;

export type Config = ReturnType<typeof configOf>;

/** The table of settings says what each value means, and what happens without one. */
function configOf(read: Read) {
  const smtpUrl = read('SMTP_URL');
  const from = read('MAIL_FROM');
  return {
    databaseUrl: read('DATABASE_URL'),
    databaseReplicaUrls: read('DATABASE_REPLICA_URLS') ?? [],
    databaseConnections: read('DATABASE_CONNECTIONS'),
    databaseReplicaConnections: read('DATABASE_REPLICA_CONNECTIONS') ?? read('DATABASE_CONNECTIONS'),
    revocationJournal: read('REVOCATION_JOURNAL'),
    redisUrl: read('REDIS_URL'),
    /** The file's content. */
    redisCa: read('REDIS_CA'),
    redisPatienceMs: read('REDIS_PATIENCE_MS'),
    onRedisFailure: read('RATE_LIMIT_ON_REDIS_FAILURE'),
    host: read('HOST'),
    port: read('PORT'),
    internalPort: read('INTERNAL_PORT'),
    drainDelayMs: read('DRAIN_DELAY_MS'),
    trustProxy: read('TRUST_PROXY') ?? [],
    logLevel: read('LOG_LEVEL'),
    platformPrefix: read('PLATFORM_PREFIX'),
    dataDirectory: read('DATA_DIR'),
    keyBounds: { maxKeys: read('MAX_KEYS_PER_FIRM'), lifetimeDays: read('MAX_KEY_LIFETIME_DAYS') ?? null },
    maxTestClientsPerFirm: read('MAX_TEST_CLIENTS_PER_FIRM'),
    accessQueueUrl: read('ACCESS_QUEUE_URL'),
    accessRecordDays: read('ACCESS_RECORD_DAYS'),
    recordArchive: read('RECORD_ARCHIVE'),
    recordArchiveDays: read('RECORD_ARCHIVE_DAYS'),
    refusedCallsDays: read('REFUSED_CALLS_DAYS'),
    ledgerWitnesses: read('LEDGER_WITNESSES') ?? [],
    erasureNoticeDays: read('ERASURE_NOTICE_DAYS'),
    graphqlCostLimit: read('GRAPHQL_COST_LIMIT'),
    responseCacheMb: read('RESPONSE_CACHE_MB'),
    portalUrl: read('PORTAL_URL'),
    portalSecret: read('PORTAL_SECRET'),
    requireSecondFactor: read('REQUIRE_SECOND_FACTOR'),
    identityProviders: read('PORTAL_OIDC') ?? [],
    mail: smtpUrl !== undefined && from !== undefined ? { smtpUrl, from } : undefined,
    production: read('NODE_ENV') === 'production',
    tracing: tracingOf(read),
  };
}

/** Follows OpenTelemetry's variables. */
function tracingOf(read: Read) {
  const collector = read('OTEL_EXPORTER_OTLP_ENDPOINT')?.replace(/\/$/, '');
  const url = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? (collector && `${collector}/v1/traces`);
  const off = read('OTEL_SDK_DISABLED') === 'true' || read('OTEL_TRACES_EXPORTER') === 'none';
  if (url === undefined || off) return undefined;
  const sampler = read('OTEL_TRACES_SAMPLER') ?? '';
  const ratio = sampler.endsWith('ratio') ? read('OTEL_TRACES_SAMPLER_ARG') : sampler.endsWith('_on') ? 1 : 0;
  return { url, ratio, slowMs: read('TRACE_SLOW_MS'), timeoutMs: read('OTEL_EXPORTER_OTLP_TIMEOUT') };
}

/**
 * Faults of settings that are valid one by one. An invalid setting is not `unset`, so no other is reported to need it.
 */
function faultsTogether(config: Config, smtpUrl: string | undefined, unset: ReadonlySet<SettingName>): string[] {
  const faults: string[] = [];
  if (smtpUrl !== undefined && unset.has('MAIL_FROM')) faults.push('SMTP_URL needs MAIL_FROM');
  if (smtpUrl !== undefined && unset.has('PORTAL_URL'))
    faults.push('SMTP_URL needs PORTAL_URL: links in mails begin with it');
  if (config.identityProviders.length > 0 && unset.has('PORTAL_URL'))
    faults.push('PORTAL_OIDC needs PORTAL_URL: providers redirect browsers to it');
  if (config.port !== undefined && config.port !== 0 && config.port === config.internalPort)
    faults.push('PORT and INTERNAL_PORT are the same');
  const isPlain = (name: SettingName, url: string | undefined) => unset.has(name) || url?.includes('rediss') === false;
  const isRedisPlain = isPlain('REDIS_URL', config.redisUrl) && isPlain('ACCESS_QUEUE_URL', config.accessQueueUrl);
  if (config.redisCa !== undefined && isRedisPlain)
    faults.push('REDIS_CA needs a REDIS_URL or ACCESS_QUEUE_URL with rediss: without it nothing is encrypted');
  if (config.recordArchive !== undefined && unset.has('DATABASE_URL'))
    faults.push('RECORD_ARCHIVE needs DATABASE_URL: the embedded database cannot keep two processes from archiving');
  if (config.recordArchiveDays !== undefined && unset.has('RECORD_ARCHIVE'))
    faults.push('RECORD_ARCHIVE_DAYS needs RECORD_ARCHIVE');
  if ((config.recordArchiveDays ?? Number.POSITIVE_INFINITY) <= (config.accessRecordDays ?? 0))
    faults.push(
      'RECORD_ARCHIVE_DAYS must be more than ACCESS_RECORD_DAYS: otherwise months would be removed before they are archived',
    );
  if (config.databaseReplicaUrls.length > 0 && unset.has('DATABASE_URL'))
    faults.push('DATABASE_REPLICA_URLS needs DATABASE_URL');
  return faults;
}
