// Database: the queries that admission needs, at the cost of one for any number of requests.
import { Migration } from '@mikro-orm/migrations';

/*
 * Finding the horizon scans all locks, with the same result for every request: a statement that admits many requests
 * scans once and passes the result on. It runs before the view is compared, because the comparison needs it.
 * A plpgsql function keeps its plan for the session, whereas an sql function is planned at each call.
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
