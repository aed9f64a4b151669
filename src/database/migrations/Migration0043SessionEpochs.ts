// Database: session epochs. Whatever ends all sessions of an account raises its epoch. A session from an earlier epoch
// cannot be stored any more, nor a sign-in that waits for its second factor.
import { Migration } from '@mikro-orm/migrations';

export class Migration0043SessionEpochs extends Migration {
  override up(): void {
    this.addSql(`
alter table portal_sessions alter column session_epoch drop default;

-- The account's row is held until the commit: an epoch that is raised meanwhile waits, and then finds the row to delete.
-- The argument is the column that holds the account.
create function require_session_epoch() returns trigger language plpgsql as $$
declare
  present integer := session_epoch from portal_accounts where id = to_jsonb(new) ->> tg_argv[0] for share;
begin
  -- A gateway of the release before names none.
  new.session_epoch := coalesce(new.session_epoch, present);
  if new.session_epoch is distinct from present then
    raise exception 'the sessions of the account were ended while this sign-in went on' using errcode = 'PSE01';
  end if;
  return new;
end $$;

create function end_earlier_epochs() returns trigger language plpgsql as $$
begin
  delete from portal_sessions where account_id = new.id and session_epoch is distinct from new.session_epoch;
  delete from portal_verifications where held_value = new.id;
  return null;
end $$;

create function raise_session_epoch() returns trigger language plpgsql as $$
begin
  update portal_accounts set session_epoch = session_epoch + 1 where id = coalesce(new.account_id, old.account_id);
  return null;
end $$;

create trigger portal_sessions_epoch before insert on portal_sessions
  for each row execute function require_session_epoch('account_id');
create trigger portal_verifications_epoch before insert on portal_verifications
  for each row when (new.session_epoch is not null) execute function require_session_epoch('held_value');
create trigger portal_accounts_epoch after update of session_epoch on portal_accounts
  for each row when (new.session_epoch <> old.session_epoch) execute function end_earlier_epochs();
create trigger portal_credentials_epoch_first after insert on portal_credentials
  for each row when (new.password_hash is not null) execute function raise_session_epoch();
create trigger portal_credentials_epoch after update of password_hash on portal_credentials
  for each row when (new.password_hash is distinct from old.password_hash) execute function raise_session_epoch();
create trigger portal_credentials_epoch_last after delete on portal_credentials
  for each row when (old.password_hash is not null) execute function raise_session_epoch();
alter table portal_sessions enable always trigger portal_sessions_epoch;
alter table portal_verifications enable always trigger portal_verifications_epoch;
alter table portal_accounts enable always trigger portal_accounts_epoch;
alter table portal_credentials enable always trigger portal_credentials_epoch_first;
alter table portal_credentials enable always trigger portal_credentials_epoch;
alter table portal_credentials enable always trigger portal_credentials_epoch_last;
update change_log set tracking = change_tracking();`);
  }
}
