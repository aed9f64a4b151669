// Command line: `portico demo`.
import { describeDemo, loadDemo } from '../demo.ts';
import { type CommandHost, print } from '../host.ts';
import { withDatabase } from '../session.ts';

export function registerDemo({ program, config, json }: CommandHost): void {
  program
    .command('demo')
    .description('load a small, fixed data set with users, keys and grants, and print what to try')
    .action(async () => {
      const settings = config();
      const demo = await withDatabase(settings, (database) => loadDemo(database, settings));
      print(json(), demo, describeDemo(demo));
    });
}
