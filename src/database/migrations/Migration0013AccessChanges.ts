// Database: which transactions changed admissions, so that "nothing changed since" is known without reading everything.
import { Migration } from '@mikro-orm/migrations';

/*
 * Like portfolio_changes, for what decides an admission: the key, its firm's plan, the client, and the client's grants.
 * One row for each transaction and key, firm or client. Every column of a key counts except when it was last used, so
 * that columns added later count too. Expiry leaves no row: readers must compare the times themselves.
 */
export class Migration0013AccessChanges extends Migration {
  override up(): void {
    this.addSql(`
create table access_changes (
  subject text collate "C" not null,
  xid xid8 not null default pg_current_xact_id(),
  at timestamptz(3) not null default now_ms(),
  primary key (subject, xid)
);
create index access_changes_at_idx on access_changes (at);

-- Its argument is the column that names the subject.
create function access_changed() returns trigger language plpgsql as $$
begin
  insert into access_changes (subject)
  select told.subject
  from (values (to_jsonb(old) ->> tg_argv[0]), (to_jsonb(new) ->> tg_argv[0])) as told (subject)
  where told.subject is not null
  on conflict do nothing;
  return null;
end $$;

create function access_truncated() returns trigger language plpgsql as $$
begin
  insert into access_changes (subject) select id from api_keys on conflict do nothing;
  return null;
end $$;

create trigger access_changed after update on api_keys for each row
  when (to_jsonb(old) - 'last_used_at' is distinct from to_jsonb(new) - 'last_used_at')
  execute function access_changed('id');
create trigger access_deleted after delete on api_keys for each row execute function access_changed('id');
create trigger access_changed after update or delete on firms for each row execute function access_changed('id');
create trigger access_changed after update or delete on users for each row execute function access_changed('id');
create trigger access_changed after insert or update or delete on grants for each row
  execute function access_changed('client_id');
create trigger access_truncated before truncate on api_keys for each statement execute function access_truncated();
create trigger access_truncated before truncate on firms for each statement execute function access_truncated();
create trigger access_truncated before truncate on users for each statement execute function access_truncated();
create trigger access_truncated before truncate on grants for each statement execute function access_truncated();`);
  }
}
