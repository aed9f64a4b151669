// Database: accounts of the portal with their sessions, credentials and second factors; users with the role `ops`.
import { Migration } from '@mikro-orm/migrations';

export class Migration0005PortalAccounts extends Migration {
  override up(): void {
    this.addSql(`
alter table users
  drop constraint users_role_check,
  drop constraint users_check;
alter table users
  add constraint users_role_check check (role in ('client', 'firm_member', 'ops')),
  add constraint users_check check (case role
    when 'client' then environment is not null and reporting_currency is not null and firm_id is null
    when 'firm_member' then firm_id is not null and environment is null and reporting_currency is null
    else firm_id is null and environment is null and reporting_currency is null end);
create index users_person_idx on users (lower(email));

-- Signs cookies and seals second factors where the configuration names no secret of its own.
alter table deployment
  add column portal_secret bytea not null default uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());

-- One for each e-mail address; it may act as any user with that address.
create table portal_accounts (
  id text collate "C" primary key,
  email text not null unique check (email = lower(email)),
  name text not null,
  email_verified boolean not null default true,
  image text,
  two_factor_enabled boolean not null default false,
  created_at timestamptz(3) not null default now_ms(),
  updated_at timestamptz(3) not null default now_ms()
);

create table portal_sessions (
  id text collate "C" primary key,
  account_id text collate "C" not null references portal_accounts on delete cascade,
  session_token text collate "C" not null unique,
  acting_user_id text collate "C" not null references users on delete cascade,
  -- Of the OpenID provider that vouched; null where a password was given.
  provider text,
  ip_address text,
  user_agent text,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now_ms(),
  updated_at timestamptz(3) not null default now_ms()
);
create index portal_sessions_account_idx on portal_sessions (account_id);
create index portal_sessions_user_idx on portal_sessions (acting_user_id);
create index portal_sessions_expiry_idx on portal_sessions (expires_at);

-- Use prolongs a session, but none outlives its seventh day.
create function end_portal_session() returns trigger language plpgsql as $$
begin
  new.expires_at := least(new.expires_at, new.created_at + interval '7 days');
  return new;
end $$;
create trigger portal_sessions_end before insert or update of expires_at on portal_sessions
  for each row execute function end_portal_session();

create table portal_credentials (
  id text collate "C" primary key,
  account_id text collate "C" not null references portal_accounts on delete cascade,
  -- 'credential' for a password, otherwise an OpenID provider with its subject.
  provider text not null,
  subject text not null,
  password_hash text,
  -- What a provider gave besides is not kept; the sign-in library has fields for it.
  oauth_access text check (oauth_access is null),
  oauth_access_expires_at timestamptz(3),
  oauth_refresh text check (oauth_refresh is null),
  oauth_refresh_expires_at timestamptz(3),
  oauth_identity text check (oauth_identity is null),
  oauth_scope text,
  created_at timestamptz(3) not null default now_ms(),
  updated_at timestamptz(3) not null default now_ms(),
  unique (provider, subject)
);
create index portal_credentials_account_idx on portal_credentials (account_id);

-- What was sent out and waits to come back once: links, sign-ins between two factors or at a provider.
create table portal_verifications (
  id text collate "C" primary key,
  lookup_key text not null,
  held_value text not null,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now_ms(),
  updated_at timestamptz(3) not null default now_ms()
);
create index portal_verifications_key_idx on portal_verifications (lookup_key);
create index portal_verifications_value_idx on portal_verifications (held_value);

create table portal_second_factors (
  id text collate "C" primary key,
  account_id text collate "C" not null unique references portal_accounts on delete cascade,
  totp_secret text not null,
  recovery_codes text not null,
  verified boolean not null default true,
  failed_verification_count integer not null default 0,
  locked_until timestamptz(3)
);
`);
  }
}
