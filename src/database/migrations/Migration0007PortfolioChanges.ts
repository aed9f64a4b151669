// Database: which transactions changed a portfolio, so that "nothing changed since" is known without reading it.
import { Migration } from '@mikro-orm/migrations';

/*
 * One row for each transaction and client whose portfolio it changed in a way that a partner can notice: everything
 * that belongs to an item raises the item's revision in this transaction, or the transaction has written the item
 * itself. A row that is visible now and was not in an earlier snapshot means: changed since. Transactions insert rows
 * of their own, so none waits for another, and the row becomes visible together with the change. The client '' stands
 * for all: reference rows changed.
 */
export class Migration0007PortfolioChanges extends Migration {
  override up(): void {
    this.addSql(`
create table portfolio_changes (
  client_id text collate "C" not null,
  xid xid8 not null default pg_current_xact_id(),
  at timestamptz(3) not null default now_ms(),
  primary key (client_id, xid)
);
create index portfolio_changes_at_idx on portfolio_changes (at);

create function portfolio_changed(clients text[]) returns void language sql as $$
  insert into portfolio_changes (client_id) select distinct unnest(clients) on conflict do nothing;
$$;

-- Whether anything of the client's portfolio that is visible now was not so in the earlier snapshot. Rows from before a
-- dump was restored hold transactions of another cluster; those ahead of the present are passed over.
create function portfolio_changed_since(client text, seen pg_snapshot) returns boolean language sql stable as $$
  select exists (
    select from portfolio_changes
    where client_id in (client, '') and xid >= pg_snapshot_xmin(seen)
      and xid < pg_snapshot_xmax(pg_current_snapshot()) and not pg_visible_in_snapshot(xid, seen));
$$;

create or replace function items_inserted() returns trigger language plpgsql as $$
begin
  update users set populated_at = now_ms()
  where populated_at is null and id in (select distinct client_id from new_rows);
  perform portfolio_changed(array(select distinct client_id from new_rows));
  return null;
end $$;

create or replace function items_updated() returns trigger language plpgsql set enable_nestloop = off as $$
begin
  insert into item_changes (client_id, item_id, previous_updated_at)
  select o.client_id, o.id, o.updated_at from old_rows o join new_rows n using (id) where o.revision <> n.revision;
  insert into removals (client_id, item_id, registry_id, kind, category)
  select o.client_id, o.id, o.registry_id, 'category', o.category
  from old_rows o join new_rows n using (id) where o.category <> n.category;
  perform portfolio_changed(array(
    select client_id from (
      select o.client_id from old_rows o join new_rows n using (id) where o.revision <> n.revision
      union
      select n.client_id from old_rows o join new_rows n using (id) where o.client_id <> n.client_id) moved));
  return null;
end $$;

create function items_deleted() returns trigger language plpgsql as $$
begin
  perform portfolio_changed(array(select distinct client_id from old_rows));
  return null;
end $$;

create trigger items_deleted after delete on items referencing old table as old_rows
  for each statement execute function items_deleted();

create function reference_changed() returns trigger language plpgsql as $$
begin
  perform portfolio_changed(array['']);
  return null;
end $$;

create trigger categories_changed after insert or update or delete on categories
  for each statement execute function reference_changed();
`);
  }
}
