// Command line: `portico generate`.
import { InvalidArgumentError } from 'commander';
import { ENVIRONMENTS } from '#core/principal.ts';
import type { GeneratePlan } from '#repositories/synthetic/plan.ts';
import { type Generated, generate } from '#tools/generate/generate.ts';
import { type CommandHost, print } from '../host.ts';
import { choice, parseCount } from '../options.ts';
import { showProgress } from '../progress.ts';
import { withDatabase } from '../session.ts';

type GenerateOptions = Omit<GeneratePlan, 'platformPrefix'>;

const wholeNumber = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is not a whole number of up to nine digits.');
  return Number(text);
};

export function registerGenerate({ program, config, json }: CommandHost): void {
  program
    .command('generate')
    .description('write synthetic data at scale directly to the database')
    .requiredOption('--clients <n>', 'how many clients', parseCount)
    .requiredOption('--items <n>', 'how many items each client has', wholeNumber)
    .requiredOption('--seed <n>', 'the same seed makes the same data', wholeNumber)
    .option('--valuations <n>', 'of each item', wholeNumber, 5)
    .option('--documents <n>', 'of each item', wholeNumber, 2)
    .addOption(choice('--environment <environment>', 'of the clients', ENVIRONMENTS).default('sandbox'))
    .action(async (options: GenerateOptions) => {
      const settings = config();
      const progress = showProgress();
      const items = options.clients * options.items;
      const plan = { ...options, items, platformPrefix: settings.platformPrefix };
      const work = withDatabase(settings, (database) => generate(database, plan, progress));
      const generated = await work.finally(progress.end);
      const { created, firmId, clientIds } = generated;
      const value = { created, seed: options.seed, firm_id: firmId, client_ids: clientIds };
      print(json(), value, describe(generated, options));
    });
}

function describe({ created, firmId, clientIds }: Generated, { seed, items }: GenerateOptions): string {
  const clients = clientIds.length <= 10 ? clientIds : [...clientIds.slice(0, 10), `… ${clientIds.length - 10} more`];
  return [
    created
      ? `Made ${clientIds.length.toLocaleString('en-GB')} client(s) with ${items.toLocaleString('en-GB')} items each.`
      : `The data of seed ${seed} exist already; nothing was changed. Use another --seed for more data.`,
    `firm:    ${firmId}`,
    ...clients.map((client) => `client:  ${client}`),
  ].join('\n');
}
