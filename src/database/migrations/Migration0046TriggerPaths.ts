// Database: triggers find the tables of this schema, whatever path and temporary tables the session has that they fire in.
import { Migration } from '@mikro-orm/migrations';

/*
 * A session looks for tables among its temporary ones first: where it had one of the name, a trigger wrote into that, and the
 * change was in no log. The functions that a trigger's function calls run with its path.
 */
export class Migration0046TriggerPaths extends Migration {
  override up(): void {
    this.addSql(`
do $$
declare
  called regprocedure;
begin
  for called in select distinct p.oid::regprocedure from pg_trigger t join pg_proc p on p.oid = t.tgfoid
    where not t.tgisinternal and p.pronamespace = 'public'::regnamespace
  loop
    execute format('alter function %s set search_path = public, pg_temp', called);
  end loop;
end $$`);
  }
}
