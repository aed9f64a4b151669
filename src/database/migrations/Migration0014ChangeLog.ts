// Database: the change log: which transactions changed what, so that "nothing has changed since" is known without
// reading it.
import { Migration } from '@mikro-orm/migrations';

/*
 * One table that replaces portfolio_changes and access_changes: a row for each transaction and subject that it changed.
 * Subjects are keys, firms and clients by their ids, a client's portfolio (portfolio:usr_…), and the reference rows
 * (reference). changed_since() returns whether a change of any of them has become visible since an earlier snapshot.
 *
 * The log must never report "unchanged" where it cannot know:
 * - Rows are deleted by age. change_log.forgotten covers the transactions of deleted rows, however they were deleted,
 *   and a snapshot that might miss one is reported as changed.
 * - Triggers fire in every session (ENABLE ALWAYS). Whatever bypasses them (DISABLE TRIGGER, TRUNCATE, ALTER … TYPE …
 *   USING, a restored dump, a promoted standby) leaves another trigger row, relation file or timeline, so that
 *   change_tracking() differs from the value at which the log was last resumed. database_epoch() is null then, nothing
 *   cached is confirmed, and resume_change_log() marks every view as changed, so that partners synchronise in full.
 * - A crash loses what was not flushed: database_run is unlogged, so that recovery empties it and ends the epoch.
 */
export class Migration0014ChangeLog extends Migration {
  override up(): void {
    this.addSql(`
create table changes (
  subject text collate "C" not null,
  xid xid8 not null default pg_current_xact_id(),
  at timestamptz(3) not null default now_ms(),
  primary key (subject, xid)
);
create index changes_at_idx on changes (at);

create table change_log (
  singleton boolean primary key default true check (singleton),
  -- Rows of this transaction and of earlier ones may have been deleted.
  forgotten xid8 not null default '0',
  tracking text not null,
  -- When changes may last have passed the log by.
  interrupted_at timestamptz(3)
);

create unlogged table database_run (
  singleton boolean primary key default true check (singleton),
  id uuid not null default gen_random_uuid()
);

create function log_changes(subjects text[]) returns void language sql as $$
  insert into changes (subject) select distinct unnest(subjects) on conflict do nothing;
$$;

-- Volatile, and so with a snapshot of its own: what is asked about "after" an instant is asked after it was read.
create function changed_since(subjects text[], seen pg_snapshot, after timestamptz) returns boolean
language plpgsql volatile as $$
begin
  return pg_snapshot_xmax(seen) > pg_snapshot_xmax(pg_current_snapshot())
    or pg_snapshot_xmin(seen) <= (select forgotten from change_log)
    or exists (
      select from changes where subject = any(subjects) and xid >= pg_snapshot_xmin(seen)
        and xid < pg_snapshot_xmax(pg_current_snapshot()) and not pg_visible_in_snapshot(xid, seen));
end $$;

-- Of every table with triggers: its file, its triggers as they were last altered, and the timeline.
create function change_tracking() returns text language sql stable as $$
  select concat_ws(' ', left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), count(*),
    sum(xmin::text::bigint), sum(ascii(tgenabled)), sum(pg_relation_filenode(tgrelid)::bigint))
  from pg_trigger where not tgisinternal;
$$;

create function database_epoch() returns text language plpgsql stable as $$
declare
  log change_log%rowtype;
  run uuid;
begin
  select * into log from change_log;
  select id into run from database_run;
  if run is null or log.tracking is distinct from change_tracking() then
    return null;
  end if;
  return md5(concat_ws(' ', run, pg_postmaster_start_time(), log.tracking, log.interrupted_at));
end $$;

create function resume_change_log() returns void language plpgsql as $$
begin
  insert into database_run default values on conflict do nothing;
  update change_log
  set tracking = change_tracking(), interrupted_at = now_ms(),
    -- Whatever was assigned before now.
    forgotten = (pg_snapshot_xmax(pg_current_snapshot())::text::numeric - 1)::text::xid8
  where tracking is distinct from change_tracking();
end $$;

create function changes_deleted() returns trigger language plpgsql as $$
begin
  update change_log set forgotten = greatest(forgotten, (select max(xid) from old_rows))
  where exists (select from old_rows where xid > forgotten);
  return null;
end $$;

create trigger changes_deleted after delete on changes referencing old table as old_rows
  for each statement execute function changes_deleted();
create trigger changes_deleted after delete on item_changes referencing old table as old_rows
  for each statement execute function changes_deleted();
-- A delta that lacks a removal would leave an item with a partner for good.
create function removals_deleted() returns trigger language plpgsql as $$
begin
  update change_log set interrupted_at = now_ms()
  where exists (select from old_rows where removed_at > now() - interval '90 days');
  return null;
end $$;

create trigger removals_deleted after delete on removals referencing old table as old_rows
  for each statement execute function removals_deleted();
create trigger removals_fixed before update on removals for each statement execute function refuse_update();
create trigger changes_fixed before update on changes for each statement execute function refuse_update();
create trigger changes_fixed before update on item_changes for each statement execute function refuse_update();

-- Who may come in ----------------------------------------------------------------------------------------------------

create function subject_changed() returns trigger language plpgsql as $$
begin
  perform log_changes(array_remove(array[to_jsonb(old) ->> tg_argv[0], to_jsonb(new) ->> tg_argv[0]], null));
  return null;
end $$;`);
    for (const table of ['api_keys', 'firms', 'users', 'grants']) {
      this.addSql(`
drop trigger access_changed on ${table};
drop trigger access_truncated on ${table};`);
    }
    this.addSql(`
drop trigger access_deleted on api_keys;
drop function access_changed();
drop function access_truncated();
drop table access_changes;

-- Of a key everything counts but when it was last used, so a column that comes later counts too.
create trigger key_changed after update on api_keys for each row
  when (to_jsonb(old) - 'last_used_at' is distinct from to_jsonb(new) - 'last_used_at')
  execute function subject_changed('id');
create trigger key_deleted after delete on api_keys for each row execute function subject_changed('id');
create trigger firm_changed after update or delete on firms for each row execute function subject_changed('id');
create trigger user_changed after update or delete on users for each row execute function subject_changed('id');
create trigger grant_changed after insert or update or delete on grants for each row
  execute function subject_changed('client_id');

-- Portfolios ---------------------------------------------------------------------------------------------------------

create function log_portfolios(clients text[]) returns void language sql as $$
  select log_changes(array(select 'portfolio:' || client from unnest(clients) client));
$$;

create or replace function reference_changed() returns trigger language plpgsql as $$
begin
  perform log_changes(array['reference']);
  return null;
end $$;

-- For tables whose rows name the client they belong to.
create function portfolio_rows_changed() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' then perform log_portfolios(array(select distinct client_id from new_rows)); end if;
  if tg_op <> 'INSERT' then perform log_portfolios(array(select distinct client_id from old_rows)); end if;
  return null;
end $$;

create or replace function items_inserted() returns trigger language plpgsql as $$
begin
  update users set populated_at = now_ms()
  where populated_at is null and id in (select distinct client_id from new_rows);
  perform log_portfolios(array(select distinct client_id from new_rows));
  return null;
end $$;

create or replace function items_updated() returns trigger language plpgsql set enable_nestloop = off as $$
begin
  insert into item_changes (client_id, item_id, previous_updated_at)
  select o.client_id, o.id, o.updated_at from old_rows o join new_rows n using (id) where o.revision <> n.revision;
  insert into removals (client_id, item_id, registry_id, kind, category)
  select o.client_id, o.id, o.registry_id, 'category', o.category
  from old_rows o join new_rows n using (id) where o.category <> n.category;
  perform log_portfolios(array(
    select distinct n.client_id from old_rows o join new_rows n using (id) where o.revision <> n.revision));
  return null;
end $$;

create or replace function items_deleted() returns trigger language plpgsql as $$
begin
  perform log_portfolios(array(select distinct client_id from old_rows));
  return null;
end $$;

drop function portfolio_changed_since(text, pg_snapshot);
drop function portfolio_changed_since(text, pg_snapshot, timestamptz);
drop function portfolio_changed(text[]);
drop table portfolio_changes;

-- A horizon is read in a statement of its own, before the one that reads whose view it is for.
drop function sync_horizon(text, text, timestamptz);
drop function sync_horizon(text, text, timestamptz, timestamptz);
`);
    for (const table of ['portfolio_totals', 'item_completeness']) {
      for (const [event, rows] of [
        ['insert', 'new table as new_rows'],
        ['update', 'old table as old_rows new table as new_rows'],
        ['delete', 'old table as old_rows'],
      ]) {
        this.addSql(`
create trigger ${table}_logged_${event} after ${event} on ${table} referencing ${rows}
  for each statement execute function portfolio_rows_changed();`);
      }
    }
    this.addSql(`
-- What moves updated_at and revision: every column but those named here. Values are compared as they are stored, because an
-- amount with other decimals is another text on the wire.
create or replace function stamp_item() returns trigger language plpgsql as $$
declare
  noticed items := new;
begin
  if (new.id, new.registry_id, new.client_id) is distinct from (old.id, old.registry_id, old.client_id) then
    raise exception 'item % keeps its id, its registry id and its client', old.id;
  end if;
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

create or replace function stamp_document() returns trigger language plpgsql as $$
declare
  noticed documents := new;
begin
  noticed.file_path := old.file_path;
  noticed.updated_at := old.updated_at;
  new.updated_at := case when noticed *<> old then greatest(now_ms(), new.updated_at) else old.updated_at end;
  return new;
end $$;

-- Its arguments name the columns that do not count.
create function children_updated() returns trigger language plpgsql set enable_nestloop = off as $$
declare
  uncounted text[] := coalesce(tg_argv, '{}');
begin
  perform touch_items(array(
    select unnest(array[o.item_id, n.item_id]) from old_rows o full join new_rows n using (id)
    where (to_jsonb(o) - uncounted)::text is distinct from (to_jsonb(n) - uncounted)::text));
  return null;
end $$;

-- A membership waits for a change of its collection, and the other way round: else the change would not see the item that was
-- just put in, nor the item the change, and a partner would keep the old name.
create function lock_collection() returns trigger language plpgsql as $$
begin
  perform from collections where id = new.collection_id for share;
  return new;
end $$;

create trigger item_collections_lock before insert on item_collections
  for each row execute function lock_collection();

create or replace function collections_updated() returns trigger language plpgsql as $$
begin
  perform touch_items(array(
    select distinct m.item_id from old_rows o full join new_rows n using (id)
    join item_collections m on m.collection_id in (o.id, n.id)
    where (to_jsonb(o) - '{created_at,updated_at}'::text[])::text
      is distinct from (to_jsonb(n) - '{created_at,updated_at}'::text[])::text));
  return null;
end $$;
`);
    for (const [table, uncounted] of [
      ['valuations', ''],
      ['documents', `'file_path', 'updated_at'`],
      ['share_links', `'token'`],
    ]) {
      this.addSql(`
drop trigger ${table}_updated on ${table};
drop function ${table}_updated();
create trigger ${table}_updated after update on ${table} referencing old table as old_rows new table as new_rows
  for each statement execute function children_updated(${uncounted});`);
    }
    this.addSql(`
do $$
declare
  fired record;
begin
  for fired in select tgrelid::regclass as relation, tgname as name from pg_trigger where not tgisinternal loop
    execute format('alter table %s enable always trigger %I', fired.relation, fired.name);
  end loop;
end $$;`);
    // Only now the triggers have their final form.
    this.addSql(`
insert into database_run default values;
insert into change_log (tracking) select change_tracking();`);
  }
}
