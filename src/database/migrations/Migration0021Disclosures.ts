// Database: which items a response carried, in the access record: items get small numbers that outlive them.
import { Migration } from '@mikro-orm/migrations';

/*
 * Records refer to items by number: ids and registry ids contain 26 random characters each, and 25 of them would make a
 * record several times as large. Numbers are assigned in the order in which items are written, and never reused;
 * deleted_items keeps the number of a deleted item with its registry id. Existing items get theirs in
 * Migration0021DisclosuresFilled, or with their next change.
 */
export class Migration0021Disclosures extends Migration {
  override up(): void {
    this.addSql(`
create sequence item_numbers as bigint;

alter table items
  add column number bigint;
alter table items
  alter column number set default nextval('item_numbers'),
  add constraint items_number_check check (number is not null) not valid;

create table deleted_items (
  number bigint primary key,
  registry_id text collate "C" not null unique,
  client_id text collate "C" not null,
  deleted_at timestamptz(3) not null default now_ms()
);

alter table access_records
  -- Numbers of the items that the answer carried, packed (src/core/disclosure.ts); empty where it carried none. Null: not
  -- recorded, because the call is older than this column or was refused.
  add items bytea,
  -- The same of items told as removed; null where there were none.
  add removed bytea,
  -- Bits of the scopes whose fields it carried, and of the lists of rows that came with the items.
  add disclosed smallint,
  add includes smallint,
  -- Version of the API that it was written in; null for tools.
  add version date;

create or replace function stamp_item() returns trigger language plpgsql as $$
declare
  noticed items := new;
begin
  if (new.id, new.registry_id, new.client_id) is distinct from (old.id, old.registry_id, old.client_id) then
    raise exception 'item % keeps its id, its registry id and its client', old.id;
  end if;
  if new.number <> old.number then
    raise exception 'item % keeps its number', old.id;
  end if;
  new.number := coalesce(old.number, new.number, nextval('item_numbers'));
  noticed.number := old.number;
  noticed.internal_notes := old.internal_notes;
  noticed.updated_at := old.updated_at;
  if noticed *<> old then
    new.updated_at := greatest(now_ms(), new.updated_at);
    new.revision := old.revision + 1;
  else
    new.updated_at := old.updated_at;
    perform set_config('portico.wrote_unstamped', 'on', true);
  end if;
  return new;
end $$;

create function keep_item_numbers() returns trigger language plpgsql as $$
begin
  insert into deleted_items (number, registry_id, client_id)
  select coalesce(number, nextval('item_numbers')), registry_id, client_id from old_rows
  on conflict do nothing;
  return null;
end $$;

create trigger items_keep_numbers after delete on items referencing old table as old_rows
  for each statement execute function keep_item_numbers();

create function keep_all_item_numbers() returns trigger language plpgsql as $$
begin
  insert into deleted_items (number, registry_id, client_id)
  select coalesce(number, nextval('item_numbers')), registry_id, client_id from items
  on conflict do nothing;
  return null;
end $$;

create trigger items_truncated before truncate on items
  for each statement execute function keep_all_item_numbers();

alter table items enable always trigger items_keep_numbers, enable always trigger items_truncated;
update change_log set tracking = change_tracking();
`);
  }
}
