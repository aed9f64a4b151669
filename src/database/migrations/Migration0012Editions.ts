// Database: whether a portfolio is unchanged, in a form that delta sync can rely on.
import { Migration } from '@mikro-orm/migrations';

/*
 * An answer made from an earlier snapshot is as good as one read now, as long as nothing changed. With a sync horizon,
 * that must be true at the instant of the horizon or later: a writer that the horizon no longer takes into account has
 * committed by then. The function is therefore volatile, so that it uses a snapshot of its own, and takes the horizon
 * as a parameter, so that it runs after it. A snapshot ahead of the present one comes from another cluster, before a
 * restore, and nothing is known of it.
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
