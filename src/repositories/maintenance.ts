// Repositories: forgets what delta sync need not remember any longer.
import type { Sql } from '#database/database.ts';

/** How long a walk along `next` may take before its order can no longer be told. */
const WALK_HOURS = 48;

/** How many rows were deleted. */
interface Forgotten {
  removals: number;
  itemChanges: number;
  changes: number;
}

/**
 * Deletes removals older than `removalDays`, and rows of the change log older than a walk may last. Of the latter only what
 * every snapshot from now on shows: what a transaction wrote that is open, or was until now, may still be asked for.
 */
export async function forgetChanges(sql: Sql, removalDays: number): Promise<Forgotten> {
  const old = `at < now() - $2 * interval '1 hour' and xid < pg_snapshot_xmin(pg_current_snapshot())`;
  const [row] = await sql.query<Forgotten>({
    text: `
with old_removals as (delete from removals where removed_at < now() - $1 * interval '1 day' returning 1),
old_item_changes as (delete from item_changes where ${old} returning 1),
old_changes as (delete from changes where ${old} returning 1)
select (select count(*) from old_removals) as removals, (select count(*) from old_item_changes) as "itemChanges",
  (select count(*) from old_changes) as changes`,
    values: [removalDays, WALK_HOURS],
  });
  return row as Forgotten;
}

/**
 * Puts the rows of portfolio totals together, and works out scores that no longer hold. Items that somebody is writing come later:
 * upkeep waits for no import. Changes nothing anybody sees.
 */
export async function tidyTotals(sql: Sql): Promise<void> {
  await sql.query({ text: 'select fold_portfolio_totals()' });
  await sql.query({
    text: `select rescore_items(array(select i.id from item_completeness s join items i on i.id = s.item_id
      where s.until < current_date limit 10000 for no key update of i skip locked))`,
  });
}
