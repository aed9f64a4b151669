// Repositories: forgets what delta sync need not remember any longer.
import type { Sql } from '#database/database.ts';

/** How long a walk along `next` may take before its order can no longer be told. */
export const WALK_HOURS = 48;

/**
 * Deletes removals older than `removalDays` and item changes older than a walk may last, and with them which
 * transactions changed a portfolio or who may come in: nobody asks for that after a day. Returns how many of the former.
 */
export async function forgetChanges(sql: Sql, removalDays: number): Promise<{ removals: number; changes: number }> {
  const [row] = await sql.query<{ removals: number; changes: number }>({
    text: `
with old_removals as (delete from removals where removed_at < now() - $1 * interval '1 day' returning 1),
old_changes as (delete from item_changes where at < now() - $2 * interval '1 hour' returning 1),
old_portfolio_changes as (delete from portfolio_changes where at < now() - $2 * interval '1 hour'),
old_access_changes as (delete from access_changes where at < now() - $2 * interval '1 hour')
select (select count(*) from old_removals) as removals, (select count(*) from old_changes) as changes`,
    values: [removalDays, WALK_HOURS],
  });
  return row ?? { removals: 0, changes: 0 };
}

/** Puts the rows of portfolio totals together, and works out scores that no longer hold. Changes nothing anybody sees. */
export async function tidyTotals(sql: Sql): Promise<void> {
  await sql.query({ text: 'select fold_portfolio_totals()' });
  await sql.query({
    text: `select rescore_items(array(select item_id from item_completeness where until < current_date limit 10000))`,
  });
}
