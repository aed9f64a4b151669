// Command line: `portico import DIR`.
import { eraseByImport } from '#gateway/personal-data/erase-by-import.ts';
import { forgetSamples } from '#repositories/personal-data/client-traces.ts';
import { ImportRefused } from '#tools/import/faults.ts';
import { type ImportCounts, importDirectory } from '#tools/import/import-directory.ts';
import { erasureSettings } from '../erasure-commands.ts';
import { CommandFailure, type CommandHost, note, print } from '../host.ts';
import { showProgress } from '../progress.ts';
import { withDatabase } from '../session.ts';

export function registerImport({ program, config, json }: CommandHost): void {
  program
    .command('import')
    .argument('<dir>', 'directory of newline-delimited JSON, one file per kind; or the file of a client export')
    .description('load platform data; with any fault nothing is written')
    .action(async (directory: string) => {
      const settings = config();
      const progress = showProgress();
      try {
        const { platformPrefix } = settings;
        const erase = eraseByImport(erasureSettings(settings));
        const work = withDatabase(settings, async (database) => {
          const onWait = () => note('Another import is at work, or an erasure: this one waits for it.');
          const imported = await importDirectory(database, { directory, platformPrefix, progress, erase, onWait });
          if (imported.users.deleted + imported.firms.deleted > 0) await forgetSamples(database);
          return imported;
        });
        const counts = await work.finally(progress.end);
        print(json(), counts, describeCounts(counts));
      } catch (error) {
        if (!json() || !(error instanceof ImportRefused)) throw error;
        print(true, { faults: error.faults, may_be_more: error.mayBeMore }, '');
        throw new CommandFailure(error.summary);
      }
    });
}

const WORDS: Record<string, string> = { skipped: 'skipped (deleted or erased before)' };

function describeCounts(counts: ImportCounts): string {
  return Object.entries(counts)
    .map(([kind, numbers]) => {
      const some = Object.entries(numbers).filter(([, count]) => count > 0);
      const text = some.map(([what, count]) => `${count.toLocaleString('en-GB')} ${WORDS[what] ?? what}`).join(', ');
      return `${`${kind}:`.padEnd(13)}${text === '' ? 'nothing' : text}`;
    })
    .join('\n');
}
