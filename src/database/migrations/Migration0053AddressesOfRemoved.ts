// Database: a removed member no longer has their address. Whoever gets it next, also the same user who is made a member
// again, chooses a new password (Migration0045).
import { Migration } from '@mikro-orm/migrations';

/*
 * A member who returns counts as another person: the invitation was sent to the address, which another person may read
 * by now. The account is kept if a user who was not removed has had the address all along.
 */
export class Migration0053AddressesOfRemoved extends Migration {
  override up(): void {
    this.addSql(`
create or replace function judge_addresses() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  moved text[];
  returned text[] := '{}';
  arrived text[];
  strange text[];
begin
  if tg_op = 'UPDATE' then
    moved := array(select a.id from before b join after a using (id) where lower(a.email) <> lower(b.email));
    returned := array(
      select a.id from before b join after a using (id) where b.removed_at is not null and a.removed_at is null);
    -- A user who gets a former address back is not another person: an import may have had it wrong. A removed user
    -- leaves no account behind if somebody else has the address.
    update portal_accounts p
    set former_users = p.former_users || array(
      select b.id from before b where lower(b.email) = p.email and b.id = any(moved) and not b.id = any(p.former_users)
        and (b.removed_at is null
          or not exists (select from users u where lower(u.email) = p.email and u.removed_at is null)))
    where p.email in (select lower(b.email) from before b where b.id = any(moved));
    arrived := array(select id from after where removed_at is null and (id = any(moved) or id = any(returned)));
  else
    arrived := array(select id from after where removed_at is null);
  end if;
  strange := array(
    select p.id from portal_accounts p
    where p.email in (select lower(u.email) from users u where u.id = any(arrived))
      -- One person may be several users; whoever joins those that are there shares the address with them.
      and not exists (select from users u where lower(u.email) = p.email and u.removed_at is null
        and (not u.id = any(arrived) or u.id = any(p.former_users) and not u.id = any(returned))));
  if strange <> '{}' then
    delete from portal_credentials where account_id = any(strange);
    delete from portal_second_factors where account_id = any(strange);
    delete from portal_passkeys where account_id = any(strange);
    update portal_accounts set two_factor_enabled = false, session_epoch = session_epoch + 1, former_users = '{}'
      where id = any(strange);
  end if;
  return null;
end $$;`);
  }
}
