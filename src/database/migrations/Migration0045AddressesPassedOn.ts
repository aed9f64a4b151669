// Database: an account belongs to an e-mail address. When another person gets the address, the previous credentials
// become invalid: the new owner is invited and chooses a password.
import { Migration } from '@mikro-orm/migrations';
import { silence } from './silent-columns.ts';

export class Migration0045AddressesPassedOn extends Migration {
  override up(): void {
    this.addSql(`alter table portal_accounts add column former_users text[] collate "C" not null default '{}'`);
    this.addSql(silence('portal_accounts', 'former_users'));
    this.addSql(`
create function judge_addresses() returns trigger language plpgsql as $$
declare
  arrived text[];
  strange text[];
begin
  if tg_op = 'UPDATE' then
    arrived := array(select a.id from before b join after a using (id) where lower(a.email) <> lower(b.email));
    -- Whoever comes back is no stranger: an import may have had the address wrong.
    update portal_accounts p
    set former_users = p.former_users || array(
      select b.id from before b where lower(b.email) = p.email and b.id = any(arrived) and not b.id = any(p.former_users))
    where p.email in (select lower(b.email) from before b where b.id = any(arrived));
  else
    arrived := array(select id from after);
  end if;
  strange := array(
    select p.id from portal_accounts p
    where p.email in (select lower(u.email) from users u where u.id = any(arrived))
      -- One person may be several users; whoever joins those that are there shares the address with them.
      and not exists (select from users u where lower(u.email) = p.email
        and (not u.id = any(arrived) or u.id = any(p.former_users))));
  if strange <> '{}' then
    delete from portal_credentials where account_id = any(strange);
    delete from portal_second_factors where account_id = any(strange);
    delete from portal_passkeys where account_id = any(strange);
    update portal_accounts set two_factor_enabled = false, session_epoch = session_epoch + 1, former_users = '{}'
      where id = any(strange);
  end if;
  return null;
end $$;

create trigger users_address_given after insert on users referencing new table as after
  for each statement execute function judge_addresses();
create trigger users_address_changed after update on users referencing old table as before new table as after
  for each statement execute function judge_addresses();
alter table users enable always trigger users_address_given;
alter table users enable always trigger users_address_changed;
update change_log set tracking = change_tracking();`);
  }
}
