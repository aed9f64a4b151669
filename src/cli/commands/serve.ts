// Command line: `portico serve`.
import { Option } from 'commander';
import type { CommandHost } from '../host.ts';
import { parseCount } from '../options.ts';

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
      'processes that share the ports; more than 1 needs DATABASE_URL and REDIS_URL',
      parseCount,
      1,
    )
    .option('--demo', 'load the demonstration data into an empty database, and print what to try', false)
    .addOption(new Option('--worker', 'be one of several; the primary gives this').default(false).hideHelp())
    .action(async ({ workers, demo, worker }: ServeOptions) => {
      // Imported here because no other command needs the server.
      const { exitOnSignal, serveAlone, serveAsWorker, serveWithWorkers } = await import('../serving.ts');
      exitOnSignal();
      if (worker) return serveAsWorker(config);
      return workers > 1 ? serveWithWorkers(config(), workers, { demo }) : serveAlone(config(), { demo });
    });
}
