// Command line: `portico firm …`.
import { FIRM_TIERS, type FirmTier } from '#core/tiers.ts';
import { createFirm, FIRM_PLANS, type Firm, type FirmPlan } from '#repositories/firms.ts';
import { type CommandHost, print } from '../host.ts';
import { choice, idOption } from '../options.ts';
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
    .requiredOption('--name <name>', 'the name that clients see')
    .addOption(choice('--plan <plan>', 'keys need an enterprise plan', FIRM_PLANS).default('none'))
    .addOption(choice('--tier <tier>', 'rate limit of its production keys', FIRM_TIERS).default('standard'))
    .addOption(idOption('firm'))
    .action(({ id, name, plan, tier }: CreateOptions) =>
      withDatabase(config(), async (database) => {
        const created = await createFirm(database, { id, name, plan, planActive: plan === 'enterprise', tier });
        print(json(), firmJson(created), facts(`Created firm ${created.id}.`, { name, plan, tier }));
      }),
    );
}

const firmJson = ({ planActive, createdAt, ...firm }: Firm) => ({
  ...firm,
  plan_active: planActive,
  created_at: createdAt,
});
