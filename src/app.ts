// The composition root: assembles the layers. It does not listen by itself, and does not read the environment.
import type { Logger } from 'pino';
import { createCursors } from '#core/cursor.ts';
import { createEvents } from '#core/events.ts';
import { lazy } from '#core/lazy.ts';
import type { Database } from '#database/database.ts';
import { forRequests } from '#database/for-requests.ts';
import { requireUsable } from '#database/migrate.ts';
import { openReads } from '#database/replicas.ts';
import { createPeople } from '#gateway/consent/people.ts';
import { readKeySet } from '#gateway/consent/receipt-signature.ts';
import type { Gateway } from '#gateway/gateway.ts';
import { createLedger } from '#gateway/ledger/ledger.ts';
import { createNotices } from '#gateway/notices/notices.ts';
import type { ProcessState } from '#gateway/operations/process-state.ts';
import { type Client, clientExport } from '#gateway/personal-data/client-export.ts';
import { loadReference, type ReferenceData } from '#gateway/reference.ts';
import type { PlaceGuard } from '#gateway/restore/place-guard.ts';
import { createLimiter } from '#limits/create-limiter.ts';
import { fleetOf } from '#limits/fleet.ts';
import { START_MS } from '#limits/redis-watch.ts';
import { drain, endKeptConnections } from '#observability/drain.ts';
import { createHealth } from '#observability/health.ts';
import { createLogger, logEvents } from '#observability/logger.ts';
import { createMetrics, type Exposition, type Metrics } from '#observability/metrics/metrics.ts';
import { openTracing } from '#observability/tracing/tracing.ts';
import type { Sender } from '#portal/notices/sender.ts';
import { createPortal, type Mailing, openSignIn, startNotifications } from '#portal/open-portal.ts';
import type { Portal } from '#portal/portal.ts';
import type { Ports } from '#process/workers.ts';
import { readCursorKey, readPortalSecret } from '#repositories/reference.ts';
import { ResponseCache } from '#rest-facade/response-cache.ts';
import { sharedSchemas } from '#schema/index.ts';
import type { Version } from '#versions/change.ts';
import { VERSIONS } from '#versions/index.ts';
import { startBackground } from './background.ts';
import type { Config } from './config.ts';
import { bind, createInternalListener, createPublicListener } from './listeners.ts';
import { measureParts, PROGRAM } from './measured.ts';
import { openGateway, type PlatformParts } from './open-gateway.ts';

/** Maximum time for requests in flight, and then for their records, when the process stops. */
const GRACE_MS = 10_000;
const INTERNAL_GRACE_MS = 3_000;

export interface App {
  /** Binds both listeners. Returns the ports, which differ from the configured ones where those are 0. */
  listen(): Promise<Ports>;
  /**
   * Lets clients leave during DRAIN_DELAY_MS, then refuses new connections, lets requests finish, saves records, and
   * closes everything except the database. When `replaced`, another process serves the same ports, and this one stays
   * ready meanwhile.
   */
  stop(options?: { replaced?: boolean }): Promise<void>;
}

export interface AppOptions extends Mailing {
  versions?: readonly Version[];
  /** Checks the identity of the database; absent: any database is served. */
  guard?: PlaceGuard;
  /** Exposition of `/metrics`, made from this process's own: one of several workers shows the metrics of all. */
  exposition?: (own: Metrics) => Exposition;
}

export async function createApp(config: Config, database: Database, options: AppOptions): Promise<App> {
  // Closed in reverse order of opening, both at a stop and after a start that failed half-way.
  const opened = new AsyncDisposableStack();
  try {
    return await assemble(config, database, options, opened);
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

async function assemble(
  config: Config,
  database: Database,
  { versions = VERSIONS, guard, exposition = (own) => own, printMail, mailIntervalMs }: AppOptions,
  opened: AsyncDisposableStack,
): Promise<App> {
  const logger = createLogger(config.logLevel);
  const events = createEvents();
  logEvents(events, logger);
  const metrics = createMetrics(events);
  const tellsTimes = !config.production;
  const tracing = config.tracing === undefined ? null : await openTracing(config.tracing, events, PROGRAM);
  const traced = tracing !== null;
  const parts = await openPlatform(config, forRequests(database), { metrics, logger }, opened);
  const background = await startBackground({ config, database, platform: parts, events, guard }, opened);
  const schemas = sharedSchemas();
  const sendsMail = config.mail !== undefined || printMail !== undefined;
  const platformParts = { ...parts, sendsMail, processState: background.processState };
  const { platform, gateway } = openGateway(schemas, platformParts, versions, { events, traced, tellsTimes });
  const health = createHealth(
    () => requireUsable(platform.database),
    () => platform.limiterState() === 'local',
  );
  const tools = lazy(async () => {
    const { createTools } = await import('#gateway/execution/yoga.ts');
    return createTools({
      ...{ schemas, platform, events },
      findAdmission: gateway.findAdmission,
      costLimit: config.graphqlCostLimit,
    });
  });
  const responses = new ResponseCache(config.responseCacheMb);
  const { portal, sender } = await openPortal(
    { config, gateway, database, reference: parts.reference, printMail, mailIntervalMs },
    opened,
  );
  measureParts(metrics.registry, { ...parts, ...background, responses, tracing, sender }, versions);
  const publicListener = createPublicListener(gateway, schemas, {
    trustProxy: config.trustProxy,
    responses,
    portal,
  });
  const shown = exposition(metrics);
  const internalListener = createInternalListener({
    ...{ gateway, tools, health, database: platform.database },
    graphiql: !config.production,
    metrics: shown,
  });

  return {
    listen: async () => {
      const internalPort = await bind(internalListener, config.host, config.internalPort);
      return { port: await bind(publicListener, config.host, config.port), internalPort };
    },
    stop: async ({ replaced = false } = {}) => {
      if (!replaced) health.stopping();
      endKeptConnections(internalListener);
      await drain(publicListener, { delayMs: config.drainDelayMs, patienceMs: GRACE_MS });
      // Until then tools may read on behalf of keys, and those reads are recorded too.
      await drain(internalListener, { patienceMs: INTERNAL_GRACE_MS });
      const { lost } = await background.recorder.close(GRACE_MS);
      await tracing?.close();
      await shown.close?.();
      if (lost > 0) logger.error({ lost }, 'access records could not be saved');
      await opened.disposeAsync();
      logger.info('stopped');
    },
  };
}

interface PlatformHooks {
  metrics: Metrics;
  logger: Logger;
}

interface OpenedPlatform extends Omit<PlatformParts, 'sendsMail' | 'processState'> {
  /** The limiter's last change of state. */
  limiterChange: () => ProcessState['limiter'];
}

/** Opens what all requests share and what must exist before anything is served. */
async function openPlatform(
  config: Config,
  database: Database,
  { metrics, logger }: PlatformHooks,
  opened: AsyncDisposableStack,
): Promise<OpenedPlatform> {
  const cursorKey = await readCursorKey(database);
  let limiterChange: ProcessState['limiter'] = { since: new Date().toISOString(), reason: null };
  const limits = createLimiter({
    redisUrl: config.redisUrl,
    redisCa: config.redisCa,
    fleet: fleetOf(cursorKey),
    onRedisFailure: config.onRedisFailure,
    patienceMs: config.redisPatienceMs,
    onAnswer: metrics.limiter.redisAnswered,
    onWaiting: (cause) => {
      const message = `not serving until Redis answers, or for ${START_MS / 1000} s: other gateways may share the limits`;
      logger.warn({ cause: cause?.message }, message);
    },
    onStateChange: (state, cause) => {
      metrics.limiter.state(state);
      limiterChange = { since: new Date().toISOString(), reason: cause?.message ?? null };
      logger.warn({ state, cause: cause?.message }, 'limiter');
    },
  });
  opened.defer(() => limits.close());
  await limits.ready;
  metrics.limiter.state(limits.status());
  const reference = await loadReference(database);
  opened.defer(() => reference.close());
  const cursors = createCursors(cursorKey);
  const reads = await openReads(database, config.databaseReplicaUrls, config.databaseReplicaConnections);
  opened.defer(() => reads.close());
  return {
    ...{ database, reads, reference, cursors },
    limiter: limits.limiter,
    limiterState: limits.status,
    limiterChange: () => limiterChange,
    apiBaseUrl: config.portalUrl ?? null,
    keyBounds: config.keyBounds,
    maxTestClientsPerFirm: config.maxTestClientsPerFirm,
  };
}

interface PortalParts extends Mailing {
  config: Config;
  gateway: Gateway;
  database: Database;
  reference: ReferenceData;
}

async function openPortal(
  { config, gateway, database, reference, ...mailing }: PortalParts,
  opened: AsyncDisposableStack,
): Promise<{ portal: Portal; sender: Sender | null }> {
  const requestDatabase = forRequests(database);
  const people = createPeople(requestDatabase);
  const signIn = openSignIn(config, await readPortalSecret(database), { people, events: gateway.events });
  opened.defer(() => signIn.close());
  const keySet = () => readKeySet(requestDatabase);
  const ledger = createLedger(requestDatabase, { witnessed: config.ledgerWitnesses.length > 0 });
  const source = { sql: requestDatabase, reference, issuer: config.portalUrl ?? null };
  const personalData = (client: Client) => clientExport(source, client);
  const parts = { gateway, people, keySet, ledger, personalData, notices: createNotices(database) };
  const portal = createPortal(config, parts, signIn);
  const sender = startNotifications(config, portal, signIn, mailing);
  opened.defer(() => sender?.close());
  return { portal, sender };
}
