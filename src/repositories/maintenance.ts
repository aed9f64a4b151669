// Repositories: deletes data that delta sync no longer needs.
import type { Sql } from '#database/database.ts';
import { readValue } from '#database/rows.ts';
import { tryLockImports } from './import-lock.ts';

/** How long partners learn of removals. */
export const REMOVALS_PROMISED_DAYS = 90;
/** A day more, since a removal is dated by its statement, and its transaction may commit much later. */
export const REMOVALS_KEPT_DAYS = REMOVALS_PROMISED_DAYS + 1;
/** Maximum duration of a walk along `next`. Its order cannot be reconstructed afterwards. */
const WALK_HOURS = 48;

/**
 * Deletes removals older than `removalDays`, and rows of the change log older than the maximum walk. From the log only
 * rows that every future snapshot sees: those of open or just ended transactions may still be needed. Returns the number
 * of rows deleted from the log.
 */
export async function forgetChanges(sql: Sql, removalDays: number): Promise<number> {
  const old = `at < now() - $2 * interval '1 hour' and xid < pg_snapshot_xmin(pg_current_snapshot())`;
  const text = `
with old_removals as (delete from removals where removed_at < now() - $1 * interval '1 day'),
old_item_changes as (delete from item_changes where ${old}),
old_changes as (delete from changes where ${old} returning 1)
select count(*) from old_changes`;
  return readValue<number>(sql, { text, values: [removalDays, WALK_HOURS] });
}

/**
 * Merges the rows of portfolio totals. Changes nothing that is visible. Does nothing during an erasure, which deletes
 * such rows in another order: it could deadlock with it.
 */
export async function foldTotals(sql: Sql): Promise<void> {
  if (await tryLockImports(sql)) await sql.query({ text: 'select fold_portfolio_totals()' });
}

/** Items that one transaction rescores, which are locked until it ends. */
const RESCORED = 10_000;

/**
 * Recomputes expired scores, which every summary computes anew until then. Skips locked items, so that maintenance does
 * not wait for an import. Changes nothing that is visible. Returns whether there may be more.
 */
export async function rescoreExpired(sql: Sql): Promise<boolean> {
  const text = `with expired as materialized (
      select array(select i.id from item_completeness s join items i on i.id = s.item_id
        where s.until < current_date limit ${RESCORED} for no key update of i skip locked) as ids)
    select cardinality(ids) as count, rescore_items(ids) from expired`;
  const [row] = await sql.query<{ count: number }>({ text });
  return row?.count === RESCORED;
}
