// Database: updated_at, removals and everything else that delta sync needs, maintained by the database.
import { Migration } from '@mikro-orm/migrations';

/*
 * How delta sync never misses a committed change, however long the writing transaction runs:
 *
 * 1. The first write of a transaction takes a shared advisory lock whose key is the time of that write (write_started).
 *    All timestamps that the transaction sets are later.
 * 2. sync_horizon() is just below the earliest such time of the open transactions, or just below now. It is read in a
 *    statement BEFORE the one that reads the rows. A change that the rows do not show yet therefore either has a lock
 *    that the horizon takes into account, or a time after the horizon.
 * 3. The partner sends the horizon back as updated_since. Everything later is sent again, so nothing is missed.
 *
 * How a paged list shows no item twice although its order is (updated_at, id): item_changes stores the updated_at that
 * each change replaced, with the transaction. A later page puts an item back where the first page saw it.
 */
export class Migration0004ChangeTracking extends Migration {
  override up(): void {
    this.addSql(`
create function register_write() returns trigger language plpgsql as $$
declare
  started bigint;
begin
  if coalesce(current_setting('portico.write_started', true), '') = '' then
    started := floor(extract(epoch from clock_timestamp()) * 1000);
    -- 20559 in the key's upper 16 bits marks our locks; the lower 48 are Unix milliseconds.
    perform pg_advisory_xact_lock_shared((20559::bigint << 48) | started);
    perform set_config('portico.write_started', started::text, true);
  end if;
  return null;
end $$;

create function sync_horizon() returns timestamptz language plpgsql volatile as $$
declare
  present timestamptz := now_ms();
  oldest bigint;
begin
  select min(((classid::bigint & 65535) << 32) | objid::bigint) into oldest
  from pg_locks
  where locktype = 'advisory' and objsubid = 1 and classid::bigint >> 16 = 20559
    and database = (select oid from pg_database where datname = current_database());
  return least(present, timestamptz 'epoch' + oldest * interval '1 millisecond') - interval '1 millisecond';
end $$;

-- The horizon for one pair of key and client. The caller's snapshot is older than the horizon: where the view has changed
-- in between, unseen by the caller, the horizon must not pass that change, or no later sync would be full for it.
create function sync_horizon(lineage text, client text, seen timestamptz) returns timestamptz language plpgsql volatile as $$
declare
  horizon timestamptz := sync_horizon();
  changed timestamptz;
begin
  select greatest(g.view_changed_at, u.populated_at) into changed
  from users u left join lateral (
    select view_changed_at from grants where lineage_id = lineage and client_id = u.id and activated_at is not null
    order by activated_at desc, id desc limit 1) g on true
  where u.id = client;
  return case when changed is distinct from seen then least(horizon, changed) else horizon end;
end $$;

create table item_changes (
  id bigint generated always as identity primary key,
  client_id text collate "C" not null,
  item_id text collate "C" not null,
  xid xid8 not null default pg_current_xact_id(),
  previous_updated_at timestamptz(3) not null,
  at timestamptz(3) not null default now_ms()
);
create index item_changes_walk_idx on item_changes (client_id, xid);
create index item_changes_at_idx on item_changes (at);

create table removals (
  id bigint generated always as identity primary key,
  client_id text collate "C" not null,
  item_id text collate "C" not null,
  registry_id text collate "C" not null,
  kind text not null check (kind in ('deleted', 'category', 'collection')),
  -- Category and collections at the time; of a move, the ones that were left.
  category text collate "C",
  collections text[] collate "C" not null default '{}',
  removed_at timestamptz(3) not null default now_ms()
);
create index removals_client_idx on removals (client_id, removed_at);
create index removals_at_idx on removals (removed_at);

-- Items -----------------------------------------------------------------------------------------------------------

create function stamp_item() returns trigger language plpgsql as $$
begin
  if (new.client_id, new.category, new.title, new.quantity, new.market_value, new.market_value_as_of,
      new.purchase_amount, new.purchase_currency, new.purchased_on, new.insurance_amount, new.insurance_currency,
      new.description, new.notes, new.seller, new.storage_location, new.category_fields, new.heirs,
      new.readiness, new.verification, new.created_at, new.revision)
     is distinct from
     (old.client_id, old.category, old.title, old.quantity, old.market_value, old.market_value_as_of,
      old.purchase_amount, old.purchase_currency, old.purchased_on, old.insurance_amount, old.insurance_currency,
      old.description, old.notes, old.seller, old.storage_location, old.category_fields, old.heirs,
      old.readiness, old.verification, old.created_at, old.revision)
  then
    new.updated_at := greatest(now_ms(), new.updated_at);
    new.revision := old.revision + 1;
  else
    new.updated_at := old.updated_at;
    perform set_config('portico.wrote_unstamped', 'on', true);
  end if;
  return new;
end $$;

-- Marks items as changed because something that belongs to them did. An item that this very transaction wrote has
-- its time already: nobody has seen it since. That holds as long as all its writes stamped what they wrote.
create function touch_items(ids text[]) returns void language sql as $$
  update items set revision = revision + 1
  where id = any(ids)
    and (xmin <> pg_current_xact_id()::xid or current_setting('portico.wrote_unstamped', true) = 'on');
$$;

create function items_inserted() returns trigger language plpgsql as $$
begin
  update users set populated_at = now_ms()
  where populated_at is null and id in (select distinct client_id from new_rows);
  return null;
end $$;

-- Old and new rows are joined by hash: a plan kept from a small statement would pair each with each in a large one.
create function items_updated() returns trigger language plpgsql set enable_nestloop = off as $$
begin
  insert into item_changes (client_id, item_id, previous_updated_at)
  select o.client_id, o.id, o.updated_at from old_rows o join new_rows n using (id) where o.revision <> n.revision;
  insert into removals (client_id, item_id, registry_id, kind, category)
  select o.client_id, o.id, o.registry_id, 'category', o.category
  from old_rows o join new_rows n using (id) where o.category <> n.category;
  return null;
end $$;

create function item_deleting() returns trigger language plpgsql as $$
begin
  insert into removals (client_id, item_id, registry_id, kind, category, collections)
  values (old.client_id, old.id, old.registry_id, 'deleted', old.category,
          array(select collection_id from item_collections where item_id = old.id));
  return old;
end $$;

create trigger items_register before insert or update or delete on items
  for each statement execute function register_write();
create trigger items_stamp before update on items for each row execute function stamp_item();
create trigger items_inserted after insert on items referencing new table as new_rows
  for each statement execute function items_inserted();
create trigger items_updated after update on items referencing old table as old_rows new table as new_rows
  for each statement execute function items_updated();
create trigger items_deleting before delete on items for each row execute function item_deleting();

-- What belongs to items -------------------------------------------------------------------------------------------

create function memberships_added() returns trigger language plpgsql as $$
begin
  perform touch_items(array(select distinct item_id from new_rows));
  return null;
end $$;

-- An item that is gone altogether was recorded as deleted, with its collections.
create function memberships_removed() returns trigger language plpgsql as $$
begin
  insert into removals (client_id, item_id, registry_id, kind, collections)
  select i.client_id, i.id, i.registry_id, 'collection', array[o.collection_id]
  from old_rows o join items i on i.id = o.item_id;
  perform touch_items(array(select distinct item_id from old_rows));
  return null;
end $$;

create trigger item_collections_register before insert or delete on item_collections
  for each statement execute function register_write();
create trigger item_collections_added after insert on item_collections referencing new table as new_rows
  for each statement execute function memberships_added();
create trigger item_collections_removed after delete on item_collections referencing old table as old_rows
  for each statement execute function memberships_removed();

-- A membership comes and goes; one that changed into another would leave no trace.
create function refuse_update() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are inserted and deleted, never updated', tg_table_name;
end $$;

create trigger item_collections_fixed before update on item_collections
  for each statement execute function refuse_update();

create function collections_updated() returns trigger language plpgsql as $$
begin
  perform touch_items(array(
    select distinct m.item_id from old_rows o join new_rows n using (id)
    join item_collections m on m.collection_id = n.id where o.name <> n.name));
  return null;
end $$;

create trigger collections_register before update or delete on collections
  for each statement execute function register_write();
create trigger collections_updated after update on collections referencing old table as old_rows new table as new_rows
  for each statement execute function collections_updated();

create function children_inserted() returns trigger language plpgsql as $$
begin
  perform touch_items(array(select distinct item_id from new_rows));
  return null;
end $$;

create function children_deleted() returns trigger language plpgsql as $$
begin
  perform touch_items(array(select distinct item_id from old_rows));
  return null;
end $$;

create function valuations_updated() returns trigger language plpgsql set enable_nestloop = off as $$
begin
  perform touch_items(array(
    select unnest(array[o.item_id, n.item_id]) from old_rows o join new_rows n using (id)
    where (o.item_id, o.source, o.amount, o.currency, o.valued_at, o.appraiser, o.created_at)
      is distinct from (n.item_id, n.source, n.amount, n.currency, n.valued_at, n.appraiser, n.created_at)));
  return null;
end $$;

create function stamp_document() returns trigger language plpgsql as $$
begin
  if (new.item_id, new.type, new.title, new.issuer, new.issued_on, new.expires_on, new.file_size, new.created_at)
     is distinct from
     (old.item_id, old.type, old.title, old.issuer, old.issued_on, old.expires_on, old.file_size, old.created_at)
  then
    new.updated_at := greatest(now_ms(), new.updated_at);
  else
    new.updated_at := old.updated_at;
  end if;
  return new;
end $$;

create trigger documents_stamp before update on documents for each row execute function stamp_document();

create function documents_updated() returns trigger language plpgsql set enable_nestloop = off as $$
begin
  perform touch_items(array(
    select unnest(array[o.item_id, n.item_id]) from old_rows o join new_rows n using (id)
    where (o.item_id, o.type, o.title, o.issuer, o.issued_on, o.expires_on, o.file_size, o.created_at)
      is distinct from (n.item_id, n.type, n.title, n.issuer, n.issued_on, n.expires_on, n.file_size, n.created_at)));
  return null;
end $$;

create function share_links_updated() returns trigger language plpgsql set enable_nestloop = off as $$
begin
  perform touch_items(array(
    select unnest(array[o.item_id, n.item_id]) from old_rows o join new_rows n using (id)
    where (o.item_id, o.label, o.created_at, o.expires_at)
      is distinct from (n.item_id, n.label, n.created_at, n.expires_at)));
  return null;
end $$;
`);
    for (const table of ['valuations', 'documents', 'share_links']) {
      this.addSql(`
create trigger ${table}_register before insert or update or delete on ${table}
  for each statement execute function register_write();
create trigger ${table}_inserted after insert on ${table} referencing new table as new_rows
  for each statement execute function children_inserted();
create trigger ${table}_updated after update on ${table} referencing old table as old_rows new table as new_rows
  for each statement execute function ${table}_updated();
create trigger ${table}_deleted after delete on ${table} referencing old table as old_rows
  for each statement execute function children_deleted();`);
    }
    this.addSql(`
-- Deleted ids -----------------------------------------------------------------------------------------------------

create function remember_deleted() returns trigger language plpgsql as $$
begin
  insert into deleted_ids (id) select id from old_rows on conflict do nothing;
  return null;
end $$;
`);
    for (const table of ['items', 'valuations', 'documents', 'collections']) {
      this.addSql(`
create trigger ${table}_remember_deleted after delete on ${table} referencing old table as old_rows
  for each statement execute function remember_deleted();`);
    }
    this.addSql(`
-- Grants ----------------------------------------------------------------------------------------------------------

create function stamp_grant() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.activated_at is not null then new.view_changed_at := now_ms(); end if;
    return new;
  end if;
  new.updated_at := now_ms();
  if new.activated_at is distinct from old.activated_at
     or (new.activated_at is not null and (new.scopes <> old.scopes or new.filter <> old.filter))
  then
    new.view_changed_at := now_ms();
  end if;
  return new;
end $$;

create trigger grants_register before insert or update on grants
  for each statement execute function register_write();
create trigger grants_stamp before insert or update on grants for each row execute function stamp_grant();
`);
  }
}
