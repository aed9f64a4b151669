// Command line: `portico firm …`.
import { FIRM_TIERS, type FirmTier, LASTING, MAX_FIRM_LIMIT } from '#core/tiers.ts';
import { createFirm, FIRM_PLANS, type FirmPlan, setFirmLimit } from '#repositories/firms.ts';
import { type CommandHost, print, snakeCased, UsageError } from '../host.ts';
import { operator } from '../operator.ts';
import {
  choice,
  countUpTo,
  idOption,
  type OccasionOptions,
  occasionOf,
  parseName,
  untilText,
  withOccasion,
} from '../options.ts';
import { withDatabase } from '../session.ts';
import { facts } from '../table.ts';

interface CreateOptions {
  name: string;
  plan: FirmPlan;
  tier: FirmTier;
  id?: string;
}

export function registerFirm({ program, config, json }: CommandHost): void {
  const firm = program.command('firm').description('estate-management firms');
  firm
    .command('create')
    .description('create a firm')
    .requiredOption('--name <name>', 'the name that clients see', parseName)
    .addOption(choice('--plan <plan>', 'keys need an enterprise plan', FIRM_PLANS).default('none'))
    .addOption(choice('--tier <tier>', 'rate limit of its production keys', FIRM_TIERS).default('standard'))
    .addOption(idOption('firm'))
    .action(({ id, name, plan, tier }: CreateOptions) =>
      withDatabase(config(), async (database) => {
        const created = await createFirm(database, { id, name, plan, planActive: plan === 'enterprise', tier });
        print(json(), snakeCased(created), facts(`Created firm ${created.id}.`, { name, plan, tier }));
      }),
    );
  const limit = firm
    .command('limit')
    .description('limit all keys of a firm together, in addition to their own limits')
    .requiredOption('--firm <id>', 'the firm')
    .option('--per-minute <n>', `requests in any 60 seconds, 1 to ${MAX_FIRM_LIMIT}`, countUpTo(MAX_FIRM_LIMIT))
    .option('--none', 'no limit for the firm')
    .option('--lasting', 'the limit that was set without an expiry, instead of one that expires');
  withOccasion(limit).action(({ firm: id, perMinute, none, lasting, ...occasion }: LimitOptions) => {
    if ([perMinute, none, lasting].filter((given) => given !== undefined).length !== 1)
      throw new UsageError('give either --per-minute, --none or --lasting');
    if (perMinute === undefined && occasion.expires !== undefined)
      throw new UsageError('--expires is for --per-minute only');
    return withDatabase(config(), async (database) => {
      const changed = await setFirmLimit(
        database,
        id,
        { limit: lasting ? LASTING : (perMinute ?? null), ...occasionOf(occasion) },
        operator(),
      );
      const effect =
        changed.requestLimit === null
          ? 'has no limit of its own'
          : `may make ${changed.requestLimit} requests a minute`;
      print(json(), snakeCased(changed), `Firm ${id} ${effect}${untilText(occasion.expires)}.`);
    });
  });
}

interface LimitOptions extends OccasionOptions {
  firm: string;
  perMinute?: number;
  none?: true;
  lasting?: true;
}
