// Command line: `portico migrate`.
import { MigrationBlocked, migrate } from '#database/migrate.ts';
import { CommandFailure, type CommandHost, note, print } from '../host.ts';
import { openConfiguredDatabase } from '../session.ts';

export function registerMigrate({ program, config, json }: CommandHost): void {
  program
    .command('migrate')
    .description('bring the database up to date')
    .action(async () => {
      const settings = config();
      const { database, close } = await openConfiguredDatabase(settings, { allowOutdated: true });
      try {
        const applied = await migrate(database, settings.platformPrefix, {
          onBlocked: note,
        }).catch((error: unknown) => {
          throw error instanceof MigrationBlocked ? new CommandFailure(error.message) : error;
        });
        print(
          json(),
          { applied },
          applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}`,
        );
      } finally {
        await close();
      }
    });
}
