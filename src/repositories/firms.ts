// Repositories: firms and their contracts.

import { Refusal } from '#core/errors.ts';
import type { FirmTier } from '#core/tiers.ts';
import type { Sql } from '#database/database.ts';
import { givenOrNewId, requireName } from './input-checks.ts';

export const FIRM_PLANS = ['enterprise', 'none'] as const;
export type FirmPlan = (typeof FIRM_PLANS)[number];

export interface Firm {
  id: string;
  name: string;
  plan: FirmPlan;
  planActive: boolean;
  tier: FirmTier;
  createdAt: string;
}

export interface NewFirm {
  /** Absent: a new one. */
  id?: string | undefined;
  name: string;
  plan: FirmPlan;
  planActive: boolean;
  tier: FirmTier;
}

const COLUMNS = 'id, name, plan, plan_active as "planActive", tier, created_at as "createdAt"';

export async function createFirm(sql: Sql, firm: NewFirm): Promise<Firm> {
  const id = givenOrNewId('firm', firm.id);
  const [created] = await sql.query<Firm>({
    text: `insert into firms (id, name, plan, plan_active, tier) values ($1, $2, $3, $4, $5)
      on conflict do nothing returning ${COLUMNS}`,
    values: [id, requireName(firm.name, 'name'), firm.plan, firm.planActive, firm.tier],
  });
  if (created === undefined) throw new Refusal('already_exists', { message: `There is already a firm ${id}.` });
  return created;
}
