// Database: erased subjects, which no import or restore may bring back, and subjects that must not be erased.
import { Migration } from '@mikro-orm/migrations';

/*
 * A row of erased_subjects is reported to the revocation journal (Migration0017), so that a restored database erases
 * again before it is served. The trigger on users enforces it for all writers, including manual ones.
 */
export class Migration0035PersonalData extends Migration {
  override up(): void {
    this.addSql(`
create table erased_subjects (
  id text collate "C" primary key,
  -- client, user (of a firm, or of operations), firm.
  kind text not null check (kind in ('client', 'user', 'firm')),
  erased_at timestamptz(3) not null default now_ms(),
  actor text not null,
  -- Why, without the person's name.
  reason text not null,
  -- Of a client: until then partners may learn of the removals by the grants that are left.
  grants_end_at timestamptz(3),
  -- When nothing was left but this row, and what it is said in docs/personal-data.md to be left.
  finished_at timestamptz(3),
  -- When files of the record's archive had nothing of the client any more; null: they may have.
  unarchived_at timestamptz(3),
  -- A signed JSON Web Signature; null where the erasure was repeated after a restore.
  certificate text,
  check (finished_at is not null or grants_end_at is not null)
);

create table legal_holds (
  id bigint generated always as identity primary key,
  user_id text collate "C" not null references users on delete cascade,
  reason text not null,
  placed_by text not null,
  placed_at timestamptz(3) not null default now_ms(),
  ends_at timestamptz(3),
  released_at timestamptz(3),
  released_by text,
  check ((released_at is null) = (released_by is null))
);
create index legal_holds_user_idx on legal_holds (user_id);

-- What the journal told is not told again.
create function erasure_told() returns trigger language plpgsql as $$
begin
  insert into revocations (table_name, row_id, terms)
  select tg_table_name, new.id, jsonb_build_object('kind', new.kind, 'grants_end_at', new.grants_end_at)
  where not exists (select from revocations where table_name = tg_table_name and row_id = new.id);
  return null;
end $$;
create trigger erased_subjects_told after insert on erased_subjects for each row execute function erasure_told();
alter table erased_subjects enable always trigger erased_subjects_told;

-- What is left of an erased user for a time has the first of these addresses, after some restores the second.
create function refuse_erased_user() returns trigger language plpgsql as $$
begin
  if new.email not in (lower(new.id) || '@erased.invalid', new.id || '@revoked.invalid') and exists (select from erased_subjects e where e.id = new.id) then
    raise exception 'user % was erased and does not come back', new.id;
  end if;
  return new;
end $$;
create trigger users_erased before insert or update on users for each row execute function refuse_erased_user();
alter table users enable always trigger users_erased;
update change_log set tracking = change_tracking();
`);
  }
}
