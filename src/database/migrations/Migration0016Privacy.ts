// Database: access requests that do not reveal their addressee, tools' reads on record, one-time codes, allowances.
import { Migration } from '@mikro-orm/migrations';

export class Migration0016Privacy extends Migration {
  override up(): void {
    this.addSql(`
-- Requests for access ------------------------------------------------------------------------------------------------

alter table grants
  -- Null: a request that reached nobody. It is kept and shown to the firm like any other.
  alter column client_id drop not null,
  -- Whom a request was addressed to, in the firm's words: an id or an e-mail address. Null where the client gave unasked,
  -- and for requests by releases that did not note it.
  add addressee text,
  -- The client has declined; the firm is not told, and waits until it withdraws the request.
  add untold boolean not null default false,
  add constraint grants_client_check check (client_id is not null or activated_at is null) not valid,
  add constraint grants_untold_check check (not untold or status = 'declined') not valid;

-- The access record --------------------------------------------------------------------------------------------------

alter table access_records
  -- The role and id of the service token where a tool read as the key. Null: the firm's own call.
  add tool_role text,
  add tool_id text collate "C";

-- Signing in ---------------------------------------------------------------------------------------------------------

-- Codes of second factors that have opened something: each does so once.
create table portal_used_codes (
  account_id text collate "C" not null references portal_accounts on delete cascade,
  used_code text not null,
  used_at timestamptz(3) not null default now_ms(),
  primary key (account_id, used_code)
);

-- How often somebody may do something in hours or days; what is counted by the minute is in the limiter.
create table allowances (
  subject text collate "C" primary key,
  -- When it was done within the period that counts.
  taken timestamptz(3)[] not null,
  forget_after timestamptz(3) not null
);
`);
  }
}
