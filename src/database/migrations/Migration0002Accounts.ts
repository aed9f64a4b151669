// Database: firms, users, API keys, grants, the plant store's accounts, and the tokens of all of them.
import { Migration } from '@mikro-orm/migrations';

export class Migration0002Accounts extends Migration {
  override up(): void {
    this.addSql(`
-- Wire timestamps have milliseconds; rounding down keeps "written later" from looking earlier than "read before".
create function now_ms() returns timestamptz language sql volatile parallel safe
  return date_trunc('milliseconds', clock_timestamp());

create table firms (
  id text collate "C" primary key,
  name text not null,
  plan text not null default 'none' check (plan in ('enterprise', 'none')),
  plan_active boolean not null default false,
  tier text not null default 'standard' check (tier in ('standard', 'elevated', 'enterprise')),
  created_at timestamptz(3) not null default now_ms(),
  updated_at timestamptz(3) not null default now_ms()
);

create table users (
  id text collate "C" primary key,
  email text not null,
  name text not null,
  role text not null check (role in ('client', 'firm_member')),
  firm_id text collate "C" references firms,
  environment text check (environment in ('sandbox', 'production')),
  reporting_currency text check (reporting_currency ~ '^[A-Z]{3}$'),
  -- Clients: when the portfolio got its first items; a sync that began before it starts over.
  populated_at timestamptz(3),
  created_at timestamptz(3) not null default now_ms(),
  updated_at timestamptz(3) not null default now_ms(),
  check (case role
    when 'client' then environment is not null and reporting_currency is not null and firm_id is null
    else firm_id is not null and environment is null and reporting_currency is null end)
);
-- One person may have a client account in each environment and be a firm's member besides.
create unique index users_email_key on users (lower(email), role, coalesce(environment, ''));
create index users_firm_idx on users (firm_id);

create table api_keys (
  id text collate "C" primary key,
  -- The first key of a chain of rotations: grants and the rate limit belong to the chain.
  lineage_id text collate "C" not null,
  firm_id text collate "C" not null references firms,
  name text not null,
  environment text not null check (environment in ('sandbox', 'production')),
  scopes smallint not null check (scopes between 1 and 127),
  tier_override text check (tier_override in ('sandbox', 'standard', 'elevated', 'enterprise')),
  secret_hash bytea not null unique check (length(secret_hash) = 32),
  secret_prefix text not null,
  secret_last_four text not null,
  created_by text not null,
  created_at timestamptz(3) not null default now_ms(),
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  rotated_to text collate "C" references api_keys,
  revoked_at timestamptz(3),
  revoked_by text,
  check ((revoked_at is null) = (revoked_by is null))
);
create index api_keys_firm_idx on api_keys (firm_id, created_at);
create index api_keys_lineage_idx on api_keys (lineage_id);

create table key_events (
  id bigint generated always as identity primary key,
  key_id text collate "C" not null references api_keys,
  at timestamptz(3) not null default now_ms(),
  actor text not null,
  action text not null,
  details jsonb not null default '{}'
);
create index key_events_key_idx on key_events (key_id, id);

create table grants (
  id text collate "C" primary key,
  lineage_id text collate "C" not null references api_keys,
  client_id text collate "C" not null references users,
  status text not null check (status in ('pending', 'active', 'revoked', 'expired', 'declined', 'withdrawn')),
  scopes smallint not null check (scopes between 1 and 127),
  filter jsonb not null,
  purpose text,
  created_at timestamptz(3) not null default now_ms(),
  activated_at timestamptz(3),
  expires_at timestamptz(3),
  ended_at timestamptz(3),
  -- When activation, scopes or filter last changed what the grant shows.
  view_changed_at timestamptz(3),
  updated_at timestamptz(3) not null default now_ms(),
  check (status in ('pending', 'declined', 'withdrawn') = (activated_at is null)),
  check ((activated_at is null) = (view_changed_at is null))
);
create unique index grants_one_active on grants (lineage_id, client_id) where status = 'active';
create unique index grants_one_pending on grants (lineage_id, client_id) where status = 'pending';
create index grants_pair_idx on grants (lineage_id, client_id, activated_at desc) where activated_at is not null;
create index grants_client_idx on grants (client_id, created_at);

create table grant_events (
  id bigint generated always as identity primary key,
  grant_id text collate "C" not null references grants,
  at timestamptz(3) not null default now_ms(),
  actor text not null,
  action text not null,
  details jsonb not null default '{}'
);
create index grant_events_grant_idx on grant_events (grant_id, id);

create table service_tokens (
  id text collate "C" primary key,
  role text not null check (role in ('support', 'ops', 'admin')),
  token_hash bytea not null unique check (length(token_hash) = 32),
  created_at timestamptz(3) not null default now_ms(),
  expires_at timestamptz(3),
  revoked_at timestamptz(3)
);

create table plant_accounts (
  id text collate "C" primary key,
  created_at timestamptz(3) not null default now_ms()
);

create table plant_tokens (
  id text collate "C" primary key,
  account_id text collate "C" not null references plant_accounts,
  token_hash bytea not null unique check (length(token_hash) = 32),
  created_at timestamptz(3) not null default now_ms(),
  expires_at timestamptz(3),
  revoked_at timestamptz(3)
);

create table plants (
  account_id text collate "C" not null references plant_accounts,
  id bigint not null,
  seq bigint generated always as identity,
  name text not null check (char_length(name) between 1 and 200),
  tag text check (char_length(tag) <= 100),
  created_at timestamptz(3) not null default now_ms(),
  primary key (account_id, id)
);
create unique index plants_order_idx on plants (account_id, seq);

-- Who read what, when: every area A call with a valid key that named an existing client. No foreign keys: a record
-- outlives what it names, and inserting it must not wait for anybody.
create table access_records (
  request_id text collate "C" primary key,
  at timestamptz(3) not null,
  firm_id text collate "C" not null,
  key_id text collate "C" not null,
  client_id text collate "C" not null,
  endpoint text not null,
  registry_id text collate "C",
  scopes smallint not null,
  status smallint not null
);
create index access_records_client_idx on access_records (client_id, at);
create index access_records_key_idx on access_records (key_id, at);
`);
  }
}
