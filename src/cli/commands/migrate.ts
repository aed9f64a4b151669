// Command line: `portico migrate`.
import { migrate, requireTriggers } from '#database/migrate.ts';
import { type CommandHost, note, print } from '../host.ts';
import { databaseOf, openConfiguredDatabase } from '../session.ts';

export function registerMigrate({ program, config, json }: CommandHost): void {
  program
    .command('migrate')
    .description('apply pending migrations to the database')
    .action(async () => {
      const settings = config();
      const { database, close } = await openConfiguredDatabase(settings, { allowOutdated: true });
      try {
        const applied = await migrate(database, settings.platformPrefix, { onBlocked: note });
        await requireTriggers(database);
        const name = databaseOf(settings);
        const message = applied.length === 0 ? `Up to date: ${name}` : `Applied to ${name}: ${applied.join(', ')}`;
        print(json(), { applied }, message);
      } finally {
        await close();
      }
    });
}
