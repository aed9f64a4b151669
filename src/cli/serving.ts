// Command line: serving as a single process, as a worker, or as the primary of workers.
import { urlsOfHosts } from '#core/database-url.ts';
import type { Database } from '#database/database.ts';
import { joinWorkers, type Ports, startWorkers, type WorkerLink, type Workers } from '#process/workers.ts';
import type { App, AppOptions } from '#src/app.ts';
import type { Config } from '#src/config.ts';
import { CommandFailure, note, print, UsageError } from './host.ts';
import { urlOf } from './listener-url.ts';
import { openToServe, withDatabase } from './session.ts';
import { stopSignal } from './stop-signals.ts';

/** Serves until told to stop. With `demo`, loads the demonstration's data and prints what to try. */
export async function serveAlone(settings: Config, demo: boolean): Promise<void> {
  const { database, guard, embedded, guest, crashed, close } = await openToServe(settings);
  try {
    // Each would have limits of its own, and the second would lose the database when the first ends.
    if (guest)
      throw new CommandFailure(
        `another process uses ${settings.dataDirectory}; several gateways need DATABASE_URL and REDIS_URL`,
      );
    const app = await openApp(settings, database, { guard, ...(demo ? { printMail } : {}) });
    const stop = stopSignal('SIGHUP');
    stop.then(() => endInTime(settings));
    const ports = await listen(app);
    describe(settings, ports, embedded);
    const over = Promise.race([stop, crashed]);
    const fault = await (demo ? showDemoUntil(over, settings, ports) : over).finally(() => app.stop());
    if (fault !== undefined) throw new CommandFailure(fault.message, { cause: fault });
  } finally {
    await close();
  }
  if (demo) exitWhileLoading();
}

/** Starts the workers, replaces those that die, and stops them on a signal. */
export async function serveWithWorkers(settings: Config, count: number, demo: boolean): Promise<void> {
  const missing = [
    ...(settings.databaseUrl === undefined ? ['DATABASE_URL'] : []),
    ...(settings.redisUrl === undefined ? ['REDIS_URL'] : []),
  ];
  if (missing.length > 0)
    throw new UsageError(
      `--workers ${count} needs ${missing.join(' and ')}: workers share the database and the limits`,
    );
  // Closing a terminal also sends SIGHUP.
  const fromTerminal = process.stdin.isTTY;
  const { promise: started, resolve: start } = Promise.withResolvers<Started>();
  if (!fromTerminal) restartOnSignal(started);
  // Prints once what every worker would print.
  await (await openToServe(settings)).close();
  const workers = await startWorkers({
    count,
    args: ['serve', '--worker'],
    // Workers end by themselves. One that hangs is killed.
    patienceMs: stopMs(settings) + 500,
    onDeath: (pid, reason) =>
      note(
        pid === undefined
          ? `a worker could not be started (${reason})`
          : `worker ${pid} ended (${reason}); starting another`,
      ),
  });
  if (workers === null) throw new CommandFailure('the first worker did not start');
  const stop = fromTerminal ? stopSignal('SIGHUP') : stopSignal();
  start({ workers, stop });
  describe(settings, workers.ports, false);
  note(`workers:  ${count}`);
  try {
    await (demo ? showDemoUntil(stop, settings, workers.ports) : stop);
  } finally {
    await workers.stop();
  }
  if (demo) exitWhileLoading();
}

/** Serves as a worker. The primary has started this process and stops it, or learns that it could not start. */
export async function serveAsWorker(readSettings: () => Config): Promise<void> {
  const link = joinWorkers();
  try {
    await serveLinked(readSettings(), link);
  } finally {
    link.leave();
  }
}

async function serveLinked(settings: Config, link: WorkerLink): Promise<void> {
  const { database, guard, close } = await openToServe(settings);
  try {
    const app = await openApp(settings, database, { guard, exposition: link.exposition });
    // The primary handles SIGHUP.
    process.on('SIGHUP', () => {});
    const stopped = Promise.race([stopSignal(), link.orphaned]).then(() => ({ replaced: false }));
    const retired = link.retired.then(() => ({ replaced: true }));
    link.announce(await listen(app));
    const why = await Promise.race([stopped, retired]);
    endInTime(settings);
    await app.stop(why);
  } finally {
    await close();
  }
}

/** The server is most of the program, and loaded only by a process that serves: not by the primary of workers. */
async function openApp(settings: Config, database: Database, options: AppOptions): Promise<App> {
  const { createApp } = await import('#src/app.ts');
  return createApp(settings, database, options);
}

/** Prints a mail, in the demonstration without a mail server. */
function printMail(to: string, { subject, text }: { subject: string; text: string }): void {
  note(`mail to ${to}: ${subject}\n${text.replace(/^/gm, '  ')}`);
}

/** Uses its own connections, since loading may take longer than a request's timeout. */
async function showDemo(settings: Config, { port }: Ports): Promise<void> {
  note('demo:     loading the demonstration data');
  // Imported here because it includes the whole import.
  const { describeDemo, loadDemo } = await import('./demo.ts');
  const loaded = await withDatabase(settings, (database) => loadDemo(database, { ...settings, port }));
  print(false, null, describeDemo(loaded));
}

/** Resolves with `over`, even while data are being loaded; fails if they cannot be loaded. */
const showDemoUntil = <End>(over: Promise<End>, settings: Config, ports: Ports): Promise<End> =>
  Promise.race([over, showDemo(settings, ports).then(() => over)]);

/**
 * After a stop. Data that are still being loaded would keep the process alive; PostgreSQL rolls back their transaction.
 */
const exitWhileLoading = (): never => process.exit();

/** An app that cannot listen must be stopped, because its open resources keep the process alive. */
function listen(app: App): Promise<Ports> {
  return app.listen().catch(async (error: unknown) => {
    await app.stop();
    throw error;
  });
}

function describe(settings: Config, { port, internalPort }: Ports, embedded: boolean): void {
  const { host, dataDirectory, databaseUrl, redisUrl, revocationJournal } = settings;
  note(`database: ${embedded ? `embedded PostgreSQL in ${dataDirectory}` : 'PostgreSQL at DATABASE_URL'}`);
  note(`limits:   ${redisUrl === undefined ? 'in this process' : 'Redis at REDIS_URL'}`);
  note(`public:   ${urlOf(host, port)}/api/v1  /plants  /portal/  /docs`);
  note(`internal: ${urlOf(host, internalPort)}/graphql  /metrics  /livez  /readyz`);
  if (databaseUrl !== undefined && urlsOfHosts(databaseUrl).length > 1 && revocationJournal === undefined)
    note('failover: a promoted host is served only after "portico restore"; with REVOCATION_JOURNAL this is automatic');
}

/** Maximum duration of a stop. The documented limit is a second longer (docs/operations.md). */
const stopMs = ({ drainDelayMs, accessQueueUrl }: Config): number =>
  drainDelayMs + (accessQueueUrl === undefined ? 24_000 : 29_000);

/**
 * Exits after the time for a stop. Requests and records are done by then; only a server that does not respond keeps the
 * process alive.
 */
function endInTime(settings: Config): void {
  setTimeout(() => {
    note('stop timed out: exiting without waiting any longer');
    process.exit();
  }, stopMs(settings)).unref();
}

interface Started {
  workers: Workers;
  stop: Promise<void>;
}

/**
 * SIGHUP replaces all workers. A further one during that replaces them again afterwards, and an early one replaces them
 * once they have started, since by default it would kill the process. Does nothing once stopping.
 */
function restartOnSignal(started: Promise<Started>): void {
  let restarts = Promise.resolve();
  let stopping = false;
  started
    .then(({ stop }) => stop)
    .then(() => {
      stopping = true;
    });
  const restart = async () => {
    const { workers } = await started;
    if (stopping) return;
    note('restart: replacing workers one by one');
    const done = await workers.restart();
    if (done || !stopping)
      note(
        done
          ? 'restart: all workers replaced'
          : 'restart: a new worker did not start; the remaining workers are not replaced',
      );
  };
  process.on('SIGHUP', () => {
    restarts = restarts.then(restart);
  });
}
