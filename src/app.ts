// The composition root: puts the layers together. It does not listen by itself, and reads no environment.
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { systemClock } from '#core/clock.ts';
import { createCursors } from '#core/cursor.ts';
import { createEvents, type Events } from '#core/events.ts';
import { lazy } from '#core/lazy.ts';
import type { Database, Sql } from '#database/database.ts';
import { forRequests } from '#database/for-requests.ts';
import { requireUsable } from '#database/migrate.ts';
import { openReads } from '#database/replicas.ts';
import { createPeople } from '#gateway/consent/people.ts';
import { readKeySet } from '#gateway/consent/receipt-signature.ts';
import type { Platform } from '#gateway/execution/context.ts';
import { createExecute } from '#gateway/execution/execute.ts';
import { createGateway, type Gateway } from '#gateway/gateway.ts';
import { createNotices } from '#gateway/notices/notices.ts';
import { REMOVALS_KEPT_DAYS } from '#gateway/paging/sync.ts';
import { loadReference } from '#gateway/reference.ts';
import { DatabaseWatch } from '#gateway/restore/database-watch.ts';
import { JournalFollower } from '#gateway/restore/journal-follower.ts';
import type { PlaceGuard } from '#gateway/restore/place-guard.ts';
import { createLimiter } from '#limits/create-limiter.ts';
import { fleetOf } from '#limits/fleet.ts';
import { type AccessRecorder, recordAccess } from '#observability/access-recorder.ts';
import { drain, endKeptConnections } from '#observability/drain.ts';
import { createHealth } from '#observability/health.ts';
import { createLogger, logEvents } from '#observability/logger.ts';
import { createMetrics, type Exposition, type Metrics } from '#observability/metrics/metrics.ts';
import { openTracing } from '#observability/tracing/tracing.ts';
import type { Sender } from '#portal/notices/sender.ts';
import { createPortal, openSignIn, type PrintMail, startNotifications } from '#portal/open-portal.ts';
import type { Portal } from '#portal/portal.ts';
import { ProcessStateHolder } from '#process/process-state.ts';
import { saveAccessRecords } from '#repositories/access-record/writer.ts';
import { forgetExpired } from '#repositories/accounts/sessions.ts';
import { forgetChanges, tidyTotals } from '#repositories/maintenance.ts';
import { tidyNotices } from '#repositories/notices/outbox.ts';
import { readCursorKey, readPortalSecret } from '#repositories/reference.ts';
import { forgetRevocations } from '#repositories/revocations.ts';
import { createAnswerAs } from '#rest-facade/answer-as.ts';
import { ResponseCache } from '#rest-facade/response-cache.ts';
import { sharedSchemas } from '#schema/index.ts';
import type { Version } from '#versions/change.ts';
import { VERSIONS } from '#versions/index.ts';
import { createNegotiator } from '#versions/negotiate.ts';
import type { Config } from './config.ts';
import { createInternalListener, createPublicListener } from './listeners.ts';
import { aboutThis, measurable, PROGRAM } from './measured.ts';

const UPKEEP_MS = 600_000;
const WATCH_MS = 5_000;
/** How long requests in flight, and then the records of them, may take at a stop. */
const GRACE_MS = 10_000;
const INTERNAL_GRACE_MS = 3_000;

export interface App {
  /** Binds both listeners. Returns the ports, which differ from the configured ones where those are 0. */
  listen(): Promise<{ port: number; internalPort: number }>;
  /**
   * Lets clients leave for DRAIN_DELAY_MS, then refuses new connections, lets requests finish, saves records, and closes
   * everything but the database. Where it was `replaced`, another process serves the same ports, and nobody is told otherwise.
   */
  stop(options?: { replaced?: boolean }): Promise<void>;
}

export interface AppOptions {
  versions?: readonly Version[];
  /** Looks at the database's connections; absent: the database is served wherever it is. */
  guard?: PlaceGuard;
  /** What `/metrics` shows, made of this process's own: one of several workers shows all of them. */
  exposition?: (own: Metrics) => Exposition;
  /** Shows what people would be told of by mail, where there is no mail server. */
  printMail?: PrintMail;
}

export async function createApp(config: Config, database: Database, options: AppOptions = {}): Promise<App> {
  // What was opened is closed in reverse, at a stop as after a start that failed half-way.
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
  { versions = VERSIONS, guard, exposition = (own) => own, printMail }: AppOptions,
  opened: AsyncDisposableStack,
): Promise<App> {
  const logger = createLogger(config.logLevel);
  const events = createEvents();
  logEvents(events, logger);
  const metrics = createMetrics(events);
  const tellsTimes = !config.production;
  const tracing = config.tracing === undefined ? null : await openTracing(config.tracing, events, PROGRAM);
  const traced = tracing !== null;
  const watch = new ProcessStateHolder();
  const parts = await openPlatform(config, forRequests(database), { metrics, logger, watch }, opened);
  const recorder = startRecorder(parts.database, events, watch);
  opened.use(startUpkeep(database, events));
  const databaseWatch = new DatabaseWatch(parts, systemClock);
  opened.use(startWatch(databaseWatch, { ...parts, guard, events }));

  const schemas = sharedSchemas();
  const negotiator = createNegotiator(versions);
  const platform: Platform = {
    ...parts,
    processState: watch.state,
    // The facade executes through the platform that shows what it answers: each needs the other.
    answerAs: (...asked) => answerAs(...asked),
    apiBaseUrl: config.portalUrl ?? null,
    sendsMail: config.mail !== undefined || printMail !== undefined,
    maxKeysPerFirm: config.maxKeysPerFirm,
    versions: negotiator.dates,
  };
  const execute = createExecute(schemas, platform);
  const gateway = createGateway({
    ...{ platform, execute, negotiator, events, clock: systemClock },
    ...{ traced, tellsTimes },
  });
  const answerAs = createAnswerAs(gateway, schemas);
  const health = createHealth(
    () => requireUsable(platform.database),
    () => platform.limiterState() === 'local',
  );
  const graphiql = !config.production;
  const tools = lazy(async () => {
    const { createTools } = await import('#gateway/execution/yoga.ts');
    return createTools({
      ...{ schemas, platform, events, clock: systemClock },
      admit: gateway.admit,
      costLimit: config.graphqlCostLimit,
    });
  });
  const responses = new ResponseCache(config.responseCacheMb);
  const { portal, sender } = await openPortal({ config, gateway, database, printMail }, opened);
  metrics.measure(
    measurable(parts, { seen: () => databaseWatch.state, recorder, responses, tracing, sender }),
    aboutThis(versions),
  );
  const publicListener = createPublicListener(gateway, schemas, {
    trustProxy: config.trustProxy,
    responses,
    portal,
  });
  const shown = exposition(metrics);
  const internalListener = createInternalListener({
    ...{ events, traced, tellsTimes, tools, health, graphiql, database: platform.database },
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
      // Tools read on behalf of keys until then, which is on the record too.
      await drain(internalListener, { patienceMs: INTERNAL_GRACE_MS });
      const { lost } = await recorder.close(GRACE_MS);
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
  watch: ProcessStateHolder;
}

/** What every request of the process shares and that is opened before anything is served. */
async function openPlatform(
  config: Config,
  database: Database,
  { metrics, logger, watch }: PlatformHooks,
  opened: AsyncDisposableStack,
): Promise<Omit<Platform, 'processState' | 'answerAs' | 'apiBaseUrl' | 'sendsMail' | 'maxKeysPerFirm' | 'versions'>> {
  const cursorKey = await readCursorKey(database);
  const limits = createLimiter({
    redisUrl: config.redisUrl,
    redisCa: config.redisCa,
    fleet: fleetOf(cursorKey),
    onRedisFailure: config.onRedisFailure,
    patienceMs: config.redisPatienceMs,
    onAnswer: metrics.limiter.redisAnswered,
    onStateChange: (state, cause) => {
      metrics.limiter.state(state);
      watch.limiterChanged(cause);
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
  watch.replicas = () => reads.states().map(({ name, usable }) => ({ name, usable }));
  return { database, reads, reference, cursors, limiter: limits.limiter, limiterState: limits.status };
}

interface PortalParts {
  config: Config;
  gateway: Gateway;
  database: Database;
  printMail: PrintMail | undefined;
}

async function openPortal(
  { config, gateway, database, printMail }: PortalParts,
  opened: AsyncDisposableStack,
): Promise<{ portal: Portal; sender: Sender | null }> {
  const hurried = forRequests(database);
  const people = createPeople(hurried);
  const signIn = openSignIn(config, await readPortalSecret(database), { people, events: gateway.events });
  opened.defer(() => signIn.close());
  const keySet = () => readKeySet(hurried);
  const portal = createPortal(config, { gateway, people, keySet, notices: createNotices(database) }, signIn);
  const sender = startNotifications(config, portal, signIn, printMail);
  opened.defer(() => sender?.close());
  return { portal, sender };
}

function startRecorder(database: Database, events: Events, watch: ProcessStateHolder): AccessRecorder {
  const recorder = recordAccess(events, (batch) => saveAccessRecords(database, batch), {
    onFailure: (error) => events.emit('failure', { requestId: null, where: 'access record', error }),
  });
  watch.records = () => ({ waiting: recorder.waiting(), saved: recorder.counts().saved });
  return recorder;
}

function startUpkeep(database: Database, events: Events): Disposable {
  const chores = [
    (sql: Sql) => forgetChanges(sql, REMOVALS_KEPT_DAYS),
    forgetExpired,
    tidyTotals,
    forgetRevocations,
    tidyNotices,
  ];
  return setInterval(() => {
    const work = chores.map((chore) => database.transaction<unknown>(chore, { unhurried: true }));
    Promise.all(work).catch((error: unknown) => events.emit('failure', { requestId: null, where: 'upkeep', error }));
  }, UPKEEP_MS).unref();
}

/** Whether the database is still the one that was started on, and whether the revocation journal has all of it. */
function startWatch(
  databaseWatch: DatabaseWatch,
  { database, guard, events }: { database: Database; guard: PlaceGuard | undefined; events: Events },
): Disposable {
  const follower = database.journal === null ? null : new JournalFollower(database, database.journal);
  const watch = async () => {
    databaseWatch.look();
    await guard?.admit(database);
    const followed = await follower?.follow();
    if (followed?.wentBack === true) await guard?.verify();
  };
  return setInterval(() => {
    watch().catch((error: unknown) => events.emit('failure', { requestId: null, where: 'restore', error }));
  }, WATCH_MS).unref();
}

async function bind(listener: FastifyInstance, host: string, port: number): Promise<number> {
  await listener.listen({ host, port });
  return (listener.server.address() as AddressInfo).port;
}
