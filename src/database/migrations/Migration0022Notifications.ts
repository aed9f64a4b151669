// Database: the outbox of mails, the notices that users turned off, and the triggers that write notices.
import { Migration } from '@mikro-orm/migrations';

/*
 * A notice is one mail to one recipient. Triggers insert it in the transaction of the act, so that exactly the
 * committed acts are notified. Notices due at a certain time are inserted by the first process that finds them due
 * (notice_looks). The unique key ensures that each is inserted once. The mail's text is made when it is sent.
 */
export class Migration0022Notifications extends Migration {
  override up(): void {
    this.addSql(`
create table notices (
  id bigint generated always as identity primary key,
  kind text collate "C" not null,
  -- A user; of what concerns signing in an account.
  recipient text collate "C" not null,
  -- What it is about: a grant, a key, a firm, a session, an account.
  subject text collate "C" not null,
  -- Which time: an event, an instant, a day.
  occurrence text collate "C" not null,
  -- What cannot be read any more when it is sent.
  details jsonb not null default '{}',
  created_at timestamptz(3) not null default now(),
  -- When it is tried next. Whoever takes it moves this past the time that sending may take.
  due_at timestamptz(3) not null default now(),
  attempts integer not null default 0,
  ended_at timestamptz(3),
  -- sent; refused: by a mail server, for good; lapsed: too old; unwanted: the person may or wants to hear of it no more.
  outcome text,
  check ((ended_at is null) = (outcome is null)),
  check (outcome in ('sent', 'refused', 'lapsed', 'unwanted')),
  unique (recipient, kind, subject, occurrence)
);
create index notices_due_idx on notices (due_at) where outcome is null;
create index notices_ended_idx on notices (ended_at) where outcome is not null;

-- A row for each topic that somebody has turned off.
create table muted_topics (
  user_id text collate "C" not null references users on delete cascade,
  topic text collate "C" not null,
  muted_at timestamptz(3) not null default now_ms(),
  primary key (user_id, topic)
);

-- When somebody last looked for what had come with time. Nobody is told of what came before the first look.
create table notice_looks (
  singleton boolean primary key default true check (singleton),
  began_at timestamptz(3) not null default now_ms(),
  looked_at timestamptz(3) not null default now_ms()
);
insert into notice_looks default values;

-- A request tells the client whom it reached, if any, and a decline tells nobody: the firm is not to learn of either.
create function tell_of_grant() returns trigger language plpgsql as $$
begin
  insert into notices (kind, recipient, subject, occurrence)
  select told.kind, told.recipient, new.grant_id, new.id::text
  from grants g join api_keys k on k.lineage_id = g.lineage_id and k.rotated_to is null
  cross join lateral (
    select case new.action when 'request' then 'grant_requested' when 'approve' then 'grant_given'
        when 'grant' then 'grant_given' when 'change' then 'grant_changed' when 'revoke' then 'grant_revoked' end,
      g.client_id
    union all
    select case new.action when 'approve' then 'firm_grant_given' when 'grant' then 'firm_grant_given'
        when 'change' then 'firm_grant_changed' when 'revoke' then 'firm_grant_revoked' end,
      m.id
    from users m where m.firm_id = k.firm_id and m.role = 'firm_member') told (kind, recipient)
  where g.id = new.grant_id and told.kind is not null and told.recipient is not null
  on conflict do nothing;
  return null;
end $$;

-- The kind, and the column that holds the account, are the trigger's arguments.
create function tell_of_account() returns trigger language plpgsql as $$
declare
  changed jsonb := to_jsonb(new);
begin
  insert into notices (kind, recipient, subject, occurrence, details)
  values (tg_argv[0], changed ->> tg_argv[1], changed ->> 'id', gen_random_uuid(),
    case tg_table_name when 'portal_sessions' then jsonb_build_object('network', changed -> 'ip_address',
      'agent', changed -> 'user_agent', 'provider', changed -> 'provider') else '{}' end);
  return null;
end $$;

-- The address that was theirs is told.
create function tell_of_email() returns trigger language plpgsql as $$
begin
  insert into notices (kind, recipient, subject, occurrence, details)
  values ('email_changed', new.id, new.id, gen_random_uuid(), jsonb_build_object('address', lower(old.email)));
  return null;
end $$;

alter table portal_sessions add column new_device boolean not null default false;

create trigger grant_events_tell after insert on grant_events for each row execute function tell_of_grant();
create trigger portal_sessions_tell after insert on portal_sessions
  for each row when (new.new_device) execute function tell_of_account('signed_in', 'account_id');
create trigger portal_credentials_tell_first after insert on portal_credentials
  for each row when (new.password_hash is not null) execute function tell_of_account('password_changed', 'account_id');
create trigger portal_credentials_tell after update of password_hash on portal_credentials
  for each row when (new.password_hash is distinct from old.password_hash and new.password_hash is not null)
  execute function tell_of_account('password_changed', 'account_id');
create trigger portal_accounts_tell_on after update of two_factor_enabled on portal_accounts
  for each row when (new.two_factor_enabled and not old.two_factor_enabled)
  execute function tell_of_account('second_factor_on', 'id');
create trigger portal_accounts_tell_off after update of two_factor_enabled on portal_accounts
  for each row when (old.two_factor_enabled and not new.two_factor_enabled)
  execute function tell_of_account('second_factor_off', 'id');
create trigger portal_second_factors_tell after update of recovery_codes on portal_second_factors
  for each row when (old.verified and new.verified and new.recovery_codes is distinct from old.recovery_codes)
  execute function tell_of_account('recovery_codes_changed', 'account_id');
create trigger users_tell_email after update of email on users
  for each row when (lower(new.email) is distinct from lower(old.email)) execute function tell_of_email();
create trigger portal_accounts_tell_email after update of email on portal_accounts
  for each row when (new.email is distinct from old.email) execute function tell_of_email();
`);
    const triggers: Record<string, string[]> = {
      grant_events: ['grant_events_tell'],
      portal_sessions: ['portal_sessions_tell'],
      portal_credentials: ['portal_credentials_tell_first', 'portal_credentials_tell'],
      portal_accounts: ['portal_accounts_tell_on', 'portal_accounts_tell_off', 'portal_accounts_tell_email'],
      portal_second_factors: ['portal_second_factors_tell'],
      users: ['users_tell_email'],
    };
    for (const [table, names] of Object.entries(triggers))
      for (const name of names) this.addSql(`alter table ${table} enable always trigger ${name}`);
    this.addSql('update change_log set tracking = change_tracking()');
  }
}
