// Command line: `portico serve`.
import { Option } from 'commander';
import type { CommandHost } from '../host.ts';
import { countUpTo } from '../options.ts';

/** Far more than a machine has use for: a mistyped number would take all of its memory. */
const MAX_WORKERS = 256;

interface ServeOptions {
  workers: number;
  demo: boolean;
  worker: boolean;
}

export function registerServe({ program, config }: CommandHost): void {
  program
    .command('serve')
    .description('run both listeners until SIGTERM or SIGINT')
    .option(
      '--workers <n>',
      `processes that share the ports, 1 to ${MAX_WORKERS}; more than 1 needs DATABASE_URL and REDIS_URL`,
      countUpTo(MAX_WORKERS),
      1,
    )
    .option('--demo', 'load the demonstration data into an empty database, and print what to try', false)
    .addOption(new Option('--worker', 'be one of several; the primary gives this').default(false).hideHelp())
    .action(async ({ workers, demo, worker }: ServeOptions) => {
      // Imported here because no other command needs the server.
      const { serveAlone, serveAsWorker, serveWithWorkers } = await import('../serving.ts');
      if (worker) return serveAsWorker(config);
      return workers > 1 ? serveWithWorkers(config(), workers, demo) : serveAlone(config(), demo);
    });
}
