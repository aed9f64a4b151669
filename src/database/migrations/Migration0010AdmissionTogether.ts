// Database: what admission asks about the present, at the price of one question however many requests ask it.
import { Migration } from '@mikro-orm/migrations';

/*
 * The horizon is found by looking through all locks, the same ones for whoever asks: a statement that admits many looks
 * once and hands the answer on. It was found before the view is compared, as the comparison needs it.
 * A function in plpgsql keeps its plan for the session; one in sql is planned at each call.
 */
export class Migration0010AdmissionTogether extends Migration {
  override up(): void {
    this.addSql(`
create function sync_horizon(lineage text, client text, seen timestamptz, horizon timestamptz) returns timestamptz
language plpgsql volatile as $$
declare
  changed timestamptz;
begin
  select greatest(g.view_changed_at, u.populated_at) into changed
  from users u left join lateral (
    select view_changed_at from grants where lineage_id = lineage and client_id = u.id and activated_at is not null
    order by activated_at desc, id desc limit 1) g on true
  where u.id = client;
  return case when changed is distinct from seen then least(horizon, changed) else horizon end;
end $$;

create or replace function sync_horizon(lineage text, client text, seen timestamptz) returns timestamptz
language plpgsql volatile as $$
begin
  return sync_horizon(lineage, client, seen, sync_horizon());
end $$;

create or replace function portfolio_changed_since(client text, seen pg_snapshot) returns boolean
language plpgsql stable as $$
begin
  return exists (
    select from portfolio_changes
    where client_id in (client, '') and xid >= pg_snapshot_xmin(seen)
      and xid < pg_snapshot_xmax(pg_current_snapshot()) and not pg_visible_in_snapshot(xid, seen));
end $$;`);
  }
}
