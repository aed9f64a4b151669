// Database: a month that somebody left half detached takes calls again.
import { Migration } from '@mikro-orm/migrations';

/*
 * A detach that was ended while it waited leaves the month pending: neither attached nor a table of its own, and no call can be
 * saved to it. What is left of the detach waits for all snapshots that are older, while it holds the partition; whoever has one and
 * comes to read the partition waits for it in turn, and would be ended by PostgreSQL after deadlock_timeout (a second). So it
 * gives up before.
 */
export class Migration0044AccessMonths extends Migration {
  override up(): void {
    this.addSql(`
create function finish_access_detach(parent text, name text) returns void language plpgsql set lock_timeout = '500ms' as $$
begin
  execute format('alter table %I detach partition %I finalize', parent, name);
end $$;

create or replace function add_access_month(parent text, month date) returns boolean language plpgsql as $$
declare
  name text := parent || '_' || to_char(month, 'YYYY_MM');
  begins text := to_char(month, 'YYYY-MM') || '-01 00:00:00+00';
  ends text := to_char(month + interval '1 month', 'YYYY-MM') || '-01 00:00:00+00';
  pending boolean;
begin
  select inhdetachpending into pending from pg_inherits where inhparent = parent::regclass and inhrelid = to_regclass(name);
  if pending is false then
    return false;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('portico ' || name, 0));
  select inhdetachpending into pending from pg_inherits where inhparent = parent::regclass and inhrelid = to_regclass(name);
  if pending is false then
    return false;
  end if;
  if pending then
    perform finish_access_detach(parent, name);
  end if;
  execute format('create table if not exists %I (like %I including all)', name, parent);
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, name, begins, ends);
  return true;
end $$;
`);
  }
}
