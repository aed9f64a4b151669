// Database: turning the second factor on verifies it in the same statement, and is refused after all sessions ended.
import { Migration } from '@mikro-orm/migrations';

/*
 * The sign-in library marks the factor as verified by a statement of its own. If that one never came, sign-in asked for
 * a factor that it did not accept. The statement that turns it on names the epoch of its session (better-auth.ts).
 */
export class Migration0055FactorsTurnedOn extends Migration {
  override up(): void {
    this.addSql(`
create function verify_factor() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  update portal_second_factors set verified = true where account_id = new.id;
  if not found then
    raise exception 'the account has no second factor that could be turned on' using errcode = 'PSE01';
  end if;
  return null;
end $$;

create function refuse_earlier_epoch() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  raise exception 'the sessions of the account were ended meanwhile' using errcode = 'PSE01';
end $$;

create trigger portal_accounts_factor_on after update of two_factor_enabled on portal_accounts
  for each row when (new.two_factor_enabled and not old.two_factor_enabled) execute function verify_factor();
create trigger portal_accounts_factor_epoch before update of session_epoch on portal_accounts
  for each row when (new.two_factor_enabled and new.session_epoch < old.session_epoch) execute function refuse_earlier_epoch();
alter table portal_accounts enable always trigger portal_accounts_factor_on;
alter table portal_accounts enable always trigger portal_accounts_factor_epoch;
update change_log set tracking = change_tracking();`);
  }
}
