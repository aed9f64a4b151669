// Tools: synthetic data at scale, made by the database itself; the same plan gives the same data anywhere.
import type { Database, Sql } from '#database/database.ts';
import type { GeneratePlan } from '#repositories/synthetic/plan.ts';
import { makeItems, preparePortfolio } from '#repositories/synthetic/portfolio.ts';
import { declareChance, forgetChance } from '#repositories/synthetic/seeded-random.ts';
import { type Progress, SILENT } from '../import/progress.ts';
import { clientIdsOf, firmIdOf, makeAccounts } from './accounts.ts';

export interface Generated {
  /** False where the seed's data were there already: nothing was changed then. */
  created: boolean;
  firmId: string;
  clientIds: string[];
}

/** Items of one statement. */
const SLICE = 20_000;

/** Makes all of it in one transaction. */
export async function generate(
  database: Database,
  plan: GeneratePlan,
  progress: Progress = SILENT,
): Promise<Generated> {
  return database.transaction(async (sql) => {
    await declareChance(sql, plan.seed);
    const firmId = await firmIdOf(sql);
    const created = !(await exists(sql, firmId));
    if (created) await makeAll(sql, plan, firmId, progress);
    await forgetChance(sql);
    return { created, firmId, clientIds: await clientIdsOf(sql, plan.seed) };
  });
}

async function exists(sql: Sql, firmId: string): Promise<boolean> {
  await sql.query({ text: `select pg_advisory_xact_lock(hashtextextended('portico generate', 0))` });
  return (await sql.query({ text: 'select 1 from firms where id = $1', values: [firmId] })).length > 0;
}

async function makeAll(sql: Sql, plan: GeneratePlan, firmId: string, progress: Progress): Promise<void> {
  await makeAccounts(sql, plan, firmId);
  await preparePortfolio(sql);
  progress.phase('Making items', plan.items, 'rows');
  for (let from = 0; from < plan.items; from += SLICE) {
    const to = Math.min(from + SLICE, plan.items);
    await makeItems(sql, plan, from, to - 1);
    progress.reached(to);
  }
  for (const table of ['users', 'items', 'collections', 'item_collections', 'share_links', 'valuations', 'documents'])
    await sql.query({ text: `analyze ${table}` });
}
