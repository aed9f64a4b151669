// Command line: the ways to serve: one process, one of several workers, and the primary of those.

import { joinWorkers, type Ports, startWorkers } from '#process/workers.ts';
import { type App, createApp } from '#src/app.ts';
import type { Config } from '#src/config.ts';
import { describeDemo, loadDemo } from './demo.ts';
import { CommandFailure, note, print, UsageError } from './host.ts';
import { openConfiguredDatabase, withDatabase } from './session.ts';

export interface Serving {
  /** Whether to load the demonstration's data and say what to try. */
  demo: boolean;
}

/** Serves until told to stop. */
export async function serveAlone(settings: Config, { demo }: Serving): Promise<void> {
  const { database, embedded, guest, close } = await openConfiguredDatabase(settings);
  try {
    // Each would keep limits of its own, and the second would lose the database with the first.
    if (guest)
      throw new CommandFailure(
        `another process uses ${settings.dataDirectory}; several gateways need DATABASE_URL and REDIS_URL`,
      );
    const app = await createApp(settings, database);
    const ports = await listen(app);
    describe(settings, ports, embedded);
    if (demo) print(false, null, describeDemo(await loadDemo(database, { ...settings, port: ports.port })));
    await toldToStop();
    await app.stop();
  } finally {
    await close();
  }
}

/** Starts the workers, keeps them at their number, and ends them when told to stop. */
export async function serveWithWorkers(settings: Config, count: number, { demo }: Serving): Promise<void> {
  const missing = [
    ...(settings.databaseUrl === undefined ? ['DATABASE_URL'] : []),
    ...(settings.redisUrl === undefined ? ['REDIS_URL'] : []),
  ];
  if (missing.length > 0)
    throw new UsageError(
      `--workers ${count} needs ${missing.join(' and ')}: workers share the database and the limits`,
    );
  // Says once what every worker would say.
  await withDatabase(settings, async () => {});
  const stop = toldToStop();
  const workers = await startWorkers(count, ['serve', '--worker'], (pid, reason) =>
    note(`worker ${pid} ended (${reason}); another takes its place`),
  );
  if (workers === null) throw new CommandFailure('the first worker did not start');
  describe(settings, workers.ports, false);
  note(`workers:  ${count}`);
  if (demo) {
    const place = { ...settings, port: workers.ports.port };
    print(false, null, describeDemo(await withDatabase(settings, (database) => loadDemo(database, place))));
  }
  await stop;
  await workers.stop();
}

/** One of several: the primary has started this process and will end it. */
export async function serveAsWorker(settings: Config): Promise<void> {
  const link = joinWorkers();
  const { database, close } = await openConfiguredDatabase(settings);
  try {
    const app = await createApp(settings, database, { exposition: link.exposition });
    link.announce(await listen(app));
    await Promise.race([toldToStop(), link.orphaned]);
    await app.stop();
  } finally {
    await close();
    link.leave();
  }
}

/** An app that cannot listen must be stopped, or what it opened keeps the process. */
function listen(app: App): Promise<Ports> {
  return app.listen().catch(async (error: unknown) => {
    await app.stop();
    throw error;
  });
}

function describe({ host, dataDirectory, redisUrl }: Config, { port, internalPort }: Ports, embedded: boolean): void {
  note(`database: ${embedded ? `embedded PostgreSQL in ${dataDirectory}` : 'PostgreSQL at DATABASE_URL'}`);
  note(`limits:   ${redisUrl === undefined ? 'in this process' : 'Redis at REDIS_URL'}`);
  note(`public:   http://${host}:${port}/api/v1  /plants  /portal/  /docs`);
  note(`internal: http://${host}:${internalPort}/graphql  /metrics  /livez  /readyz`);
}

function toldToStop(): Promise<void> {
  return new Promise((stop) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop());
  });
}
