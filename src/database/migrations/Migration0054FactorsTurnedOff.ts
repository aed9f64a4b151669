// Database: turning the second factor off deletes it in the same statement.
import { Migration } from '@mikro-orm/migrations';

/*
 * The sign-in library deletes it by a statement of its own. If that one never came, the factor was off and could
 * neither be set up again nor be reset.
 */
export class Migration0054FactorsTurnedOff extends Migration {
  override up(): void {
    this.addSql(`
create function delete_factor() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  delete from portal_second_factors where account_id = new.id;
  return null;
end $$;

create trigger portal_accounts_factor_off after update of two_factor_enabled on portal_accounts
  for each row when (old.two_factor_enabled and not new.two_factor_enabled) execute function delete_factor();
alter table portal_accounts enable always trigger portal_accounts_factor_off;
update change_log set tracking = change_tracking();`);
  }
}
