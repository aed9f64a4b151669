// Command line: `portico serve`.
import { createApp } from '#src/app.ts';
import type { CommandHost } from '../index.ts';
import { note, openConfiguredDatabase } from '../session.ts';

export function registerServe({ program, config }: CommandHost): void {
  program
    .command('serve')
    .description('run both listeners until SIGTERM or SIGINT')
    .action(async () => {
      const settings = config();
      const { database, embedded, close } = await openConfiguredDatabase(settings);
      try {
        const app = await createApp(settings, database);
        const { port, internalPort } = await app.listen();
        note(
          `database: ${embedded ? `embedded PostgreSQL in ${settings.dataDirectory}` : 'PostgreSQL at DATABASE_URL'}`,
        );
        note(`limits:   ${settings.redisUrl === undefined ? 'in this process' : 'Redis at REDIS_URL'}`);
        note(`public:   http://${settings.host}:${port}/api/v1  http://${settings.host}:${port}/plants`);
        note(`internal: http://${settings.host}:${internalPort}/graphql  /metrics  /livez  /readyz`);
        await untilToldToStop();
        await app.stop();
      } finally {
        await close();
      }
    });
}

function untilToldToStop(): Promise<void> {
  return new Promise((stop) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop());
  });
}
