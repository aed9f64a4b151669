// Database: roles of a firm's members, invitations, passkeys, and one record of all acts of and on a firm.
import { Migration } from '@mikro-orm/migrations';
import { silence } from './silent-columns.ts';

/*
 * firm_events is the firm's audit trail. Acts on keys and members' requests have records of their own. Triggers copy
 * these to firm_events in the same transaction, so that no act on a key can be missing there.
 *
 * A removed member remains in users with the time of the removal: records refer to people by their id, and the next
 * import of the same file must not restore the member.
 */
export class Migration0029Teams extends Migration {
  override up(): void {
    this.addSql(`
alter table users
  -- Of firm members: what they may do. Those that were there before roles are made administrators by Migration0030TeamsFilled.
  add column firm_role text,
  add column removed_at timestamptz(3);
alter table users
  add constraint users_firm_role_check check (case role
    when 'firm_member' then coalesce(firm_role, '') in ('administrator', 'developer', 'auditor')
    else firm_role is null and removed_at is null end) not valid;

-- Where nobody says a role, as releases before roles and imports do, a member may do everything, as always.
create function default_firm_role() returns trigger language plpgsql as $$
begin
  new.firm_role := case when new.role = 'firm_member' then 'administrator' end;
  if new.role <> 'firm_member' then
    new.removed_at := null;
  end if;
  return new;
end $$;
create trigger users_firm_role before insert or update on users
  for each row when ((new.role = 'firm_member') <> (new.firm_role is not null)) execute function default_firm_role();

create table firm_invitations (
  id text collate "C" primary key,
  firm_id text collate "C" not null references firms,
  email text not null check (email = lower(email)),
  name text not null,
  role text not null check (role in ('administrator', 'developer', 'auditor')),
  invited_by text not null,
  -- Of the link in the newest mail; null until one is sent.
  link_hash bytea unique,
  created_at timestamptz(3) not null default now_ms(),
  expires_at timestamptz(3) not null,
  ended_at timestamptz(3),
  outcome text check (outcome in ('accepted', 'withdrawn')),
  check ((ended_at is null) = (outcome is null))
);
create unique index firm_invitations_open on firm_invitations (firm_id, email) where ended_at is null;

create table portal_passkeys (
  id text collate "C" primary key,
  account_id text collate "C" not null references portal_accounts on delete cascade,
  name text not null,
  credential_id text collate "C" not null unique,
  public_key bytea not null,
  counter bigint not null default 0,
  transports text[] not null default '{}',
  -- Whether it is kept by a service that brings it to other devices.
  synced boolean not null default false,
  created_at timestamptz(3) not null default now_ms(),
  last_used_at timestamptz(3)
);
create index portal_passkeys_account_idx on portal_passkeys (account_id);

-- What others did to the way in which somebody signs in, with their reason.
create table account_events (
  id bigint generated always as identity primary key,
  account_id text collate "C" not null,
  at timestamptz(3) not null default now_ms(),
  actor text not null,
  action text not null,
  details jsonb not null default '{}'
);
create index account_events_account_idx on account_events (account_id, id);

-- The firm's record -------------------------------------------------------------------------------------------------------

create function record_key_event() returns trigger language plpgsql as $$
begin
  insert into firm_events (firm_id, at, actor, action, subject, details, source)
  select k.firm_id, new.at, new.actor, 'key_' || new.action, k.id,
    jsonb_build_object('name', k.name) || new.details, 'key_events ' || new.id
  from api_keys k where k.id = new.key_id;
  return null;
end $$;
-- A rotation is one act: its successor's beginning says nothing more.
create trigger key_events_recorded after insert on key_events
  for each row when (not (new.action = 'create' and new.details ? 'predecessor')) execute function record_key_event();

-- What clients answer is theirs, and partly not for the firm to know; what members do for a test client is the firm's own.
create function record_request() returns trigger language plpgsql as $$
begin
  insert into firm_events (firm_id, at, actor, action, subject, details, source)
  select k.firm_id, new.at, new.actor, 'grant_' || new.action, g.id,
    jsonb_build_object('name', k.name, 'key', k.id), 'grant_events ' || new.id
  from grants g join api_keys k on k.id = g.lineage_id where g.id = new.grant_id;
  return null;
end $$;
create trigger grant_events_recorded after insert on grant_events
  for each row when ((new.action in ('request', 'withdraw') and new.actor not like 'system:%') or new.actor like 'member_as_test_client:%')
  execute function record_request();

-- Mails -------------------------------------------------------------------------------------------------------------------

create or replace function tell_of_grant() returns trigger language plpgsql as $$
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
    from users m where m.firm_id = k.firm_id and m.role = 'firm_member' and m.removed_at is null) told (kind, recipient)
  where g.id = new.grant_id and told.kind is not null and told.recipient is not null
  on conflict do nothing;
  return null;
end $$;

create function tell_of_passkey() returns trigger language plpgsql as $$
declare
  passkey portal_passkeys := coalesce(new, old);
begin
  insert into notices (kind, recipient, subject, occurrence, details)
  values (tg_argv[0], passkey.account_id, passkey.account_id, passkey.id, jsonb_build_object('passkey', passkey.name))
  on conflict do nothing;
  return null;
end $$;
create trigger portal_passkeys_tell_added after insert on portal_passkeys
  for each row execute function tell_of_passkey('passkey_added');
create trigger portal_passkeys_tell_removed after delete on portal_passkeys
  for each row execute function tell_of_passkey('passkey_removed');

-- What takes access away --------------------------------------------------------------------------------------------------

create trigger users_access_narrowed after update on users for each row
  when (old.removed_at is null and new.removed_at is not null
    or old.firm_role <> new.firm_role and (old.firm_role = 'administrator' or new.firm_role = 'auditor'))
  execute function access_taken('removed_at', 'firm_role');
`);
    for (const { table, silent, update, deletion } of ACCESS)
      this.addSql(`
create trigger ${table}_access_changed after update on ${table} for each row
  when (to_jsonb(old) - '{${silent}}'::text[] is distinct from to_jsonb(new) - '{${silent}}'::text[] and (${update}))
  execute function access_taken();
create trigger ${table}_access_deleted after delete on ${table} for each row when (${deletion}) execute function access_taken();
create trigger ${table}_access_truncated before truncate on ${table} for each statement execute function access_truncated();`);
    // Changes of these columns are handled by their own triggers.
    this.addSql(silence('users', 'firm_role,removed_at'));
    for (const [table, names] of Object.entries(TRIGGERS))
      for (const name of names) this.addSql(`alter table ${table} enable always trigger ${name}`);
    this.addSql('update change_log set tracking = change_tracking()');
  }
}

/** New tables that give access, with columns that do not matter, and the condition for rows that gave access. */
const ACCESS = [
  {
    table: 'firm_invitations',
    silent: 'name,role,invited_by,link_hash,created_at,expires_at',
    update: `old.ended_at is null and new.outcome is distinct from 'accepted'`,
    deletion: 'old.ended_at is null',
  },
  {
    table: 'portal_passkeys',
    silent: 'name,counter,transports,synced,created_at,last_used_at',
    update: 'true',
    deletion: 'true',
  },
];

const TRIGGERS: Record<string, string[]> = {
  users: ['users_firm_role', 'users_access_narrowed'],
  key_events: ['key_events_recorded'],
  grant_events: ['grant_events_recorded'],
  firm_invitations: [
    ...['firm_invitations_access_changed', 'firm_invitations_access_deleted', 'firm_invitations_access_truncated'],
  ],
  portal_passkeys: [
    ...['portal_passkeys_tell_added', 'portal_passkeys_tell_removed', 'portal_passkeys_access_changed'],
    ...['portal_passkeys_access_deleted', 'portal_passkeys_access_truncated'],
  ],
};
