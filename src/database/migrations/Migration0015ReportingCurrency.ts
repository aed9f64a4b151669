// Database: a client's reporting currency is part of every market value, so changing it changes all of their items.
import { Migration } from '@mikro-orm/migrations';

/** The import refuses this for clients with items. After a manual change partners must not keep the old currency. */
export class Migration0015ReportingCurrency extends Migration {
  override up(): void {
    this.addSql(`
create function reporting_currency_changed() returns trigger language plpgsql as $$
begin
  perform touch_items(array(select id from items where client_id = new.id));
  return null;
end $$;

create trigger users_currency_changed after update on users for each row
  when (old.reporting_currency is distinct from new.reporting_currency)
  execute function reporting_currency_changed();
alter table users enable always trigger users_currency_changed;

-- Nothing has passed the log by: a trigger came, and none was away meanwhile.
update change_log set tracking = change_tracking();`);
  }
}
