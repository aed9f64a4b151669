// Database: repairs a partition whose detach was interrupted, so that it accepts calls again.
import { Migration } from '@mikro-orm/migrations';

/*
 * A detach that was cancelled while it waited leaves the partition pending: it is neither attached nor a table of its
 * own, and no call can be saved to it. Finalizing waits for all older snapshots while it locks the partition. A session
 * with such a snapshot that reads the partition waits for that lock in turn, and PostgreSQL would cancel it after
 * deadlock_timeout (a second). Finalizing therefore gives up earlier.
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
