// Database: whether a portfolio still is what it was, asked so that a sync may rest on the answer.
import { Migration } from '@mikro-orm/migrations';

/*
 * Who answers from what was read in an earlier snapshot says as much as if it was read now. Beside a sync horizon that has
 * to hold for the instant of the horizon or later: a writer that the horizon no longer sees has committed by then. Hence
 * the function is volatile, and so looks with a snapshot of its own; that it takes the horizon has it called after that.
 * A snapshot that is ahead of the present is another cluster's, from before a restore: nothing is known of it.
 */
export class Migration0012Editions extends Migration {
  override up(): void {
    this.addSql(`
create function portfolio_changed_since(client text, seen pg_snapshot, horizon timestamptz) returns boolean
language plpgsql volatile as $$
begin
  return pg_snapshot_xmax(seen) > pg_snapshot_xmax(pg_current_snapshot()) or exists (
    select from portfolio_changes
    where client_id in (client, '') and xid >= pg_snapshot_xmin(seen)
      and xid < pg_snapshot_xmax(pg_current_snapshot()) and not pg_visible_in_snapshot(xid, seen));
end $$;`);
  }
}
