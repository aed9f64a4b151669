// Database: the place of a database also says whether its tables were made anew, as by a dump restored over it.
import { Migration } from '@mikro-orm/migrations';

/**
 * A dump that is restored into the database it was taken from (`pg_restore --clean`) finds the cluster, timeline and
 * oid that it contains. Its table `deployment` is another one then.
 */
export class Migration0057RestoredInPlace extends Migration {
  override up(): void {
    this.addSql(`
create or replace function database_place() returns text language plpgsql stable as $$
begin
  return concat_ws(' ', (select system_identifier from pg_control_system()),
    left(pg_walfile_name(pg_current_wal_insert_lsn()), 8),
    (select oid from pg_database where datname = current_database()),
    (select 'public.deployment'::regclass::oid));
end $$;

-- Of a database that waits for confirmation it stays another place than the present one.
update deployment set place = concat_ws(' ', place, (select 'public.deployment'::regclass::oid));`);
  }
}
