// Database: triggers use the tables of this schema, regardless of the search path and temporary tables of the session.
import { Migration } from '@mikro-orm/migrations';

/*
 * A session searches its temporary tables first: if it had one of the same name, a trigger wrote into that, and the
 * change was missing from the log. Functions called by a trigger's function inherit its path.
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
