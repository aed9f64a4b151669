// Database: how complete each item's documents are, stored with the item, so that summaries need not read them.
import { Migration } from '@mikro-orm/migrations';

/*
 * A score changes with the item's documents, with its category, and when a document expires. Triggers handle the first
 * two. For the third, each score has the time until which it is valid, and readers compute it anew after that.
 */
export class Migration0009DocumentCompleteness extends Migration {
  override up(): void {
    this.addSql(`
create table item_completeness (
  item_id text collate "C" primary key references items on delete cascade,
  client_id text collate "C" not null,
  category text collate "C" not null,
  -- Whole percent, rounded down.
  score smallint not null,
  -- The last day on which the score holds; null: until something is changed.
  until date
);
create index item_completeness_client_idx on item_completeness (client_id, category) include (item_id, score, until);
create index item_completeness_until_idx on item_completeness (until);

create function score_of(item text, recommended text[]) returns integer language sql stable as $$
  select case cardinality(recommended) when 0 then 100 else
    100 * (select count(distinct d.type) from documents d
      where d.item_id = item and d.type = any(recommended)
        and (d.expires_on is null or d.expires_on >= current_date)) / cardinality(recommended) end::integer;
$$;

create function rescore_items(ids text[]) returns void language sql as $$
  insert into item_completeness (item_id, client_id, category, score, until)
  select i.id, i.client_id, i.category, score_of(i.id, c.recommended_documents), (
    select min(present.until) from (
      select case when bool_and(d.expires_on is not null) then max(d.expires_on) end as until
      from documents d
      where d.item_id = i.id and d.type = any(c.recommended_documents)
        and (d.expires_on is null or d.expires_on >= current_date)
      group by d.type) present)
  from items i join categories c on c.code = i.category
  where i.id = any(ids)
  order by i.id
  on conflict (item_id) do update
  set client_id = excluded.client_id, category = excluded.category, score = excluded.score, until = excluded.until
  where (item_completeness.client_id, item_completeness.category, item_completeness.score, item_completeness.until)
    is distinct from (excluded.client_id, excluded.category, excluded.score, excluded.until);
$$;

create function items_rescored() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform rescore_items(array(select id from new_rows));
  else
    perform rescore_items(array(
      select id from (select id, client_id, category from new_rows except select id, client_id, category from old_rows) m));
  end if;
  return null;
end $$;

create trigger items_rescored_inserted after insert on items referencing new table as new_rows
  for each statement execute function items_rescored();
create trigger items_rescored_updated after update on items referencing old table as old_rows new table as new_rows
  for each statement execute function items_rescored();

-- Triggers fire in the order of their names: by then the items are locked by documents_inserted and its like, and whatever
-- another transaction did to their documents is done and visible.
create function documents_rescored() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform rescore_items(array(select distinct item_id from new_rows));
  elsif tg_op = 'DELETE' then
    perform rescore_items(array(select distinct item_id from old_rows));
  else
    perform rescore_items(array(select item_id from new_rows union select item_id from old_rows));
  end if;
  return null;
end $$;

create trigger documents_rescored_inserted after insert on documents referencing new table as new_rows
  for each statement execute function documents_rescored();
create trigger documents_rescored_updated after update on documents referencing old table as old_rows new table as new_rows
  for each statement execute function documents_rescored();
create trigger documents_rescored_deleted after delete on documents referencing old table as old_rows
  for each statement execute function documents_rescored();

create function category_rescored() returns trigger language plpgsql as $$
begin
  perform rescore_items(array(select id from items where category = new.code));
  return null;
end $$;

create trigger categories_rescored after update of recommended_documents on categories
  for each row execute function category_rescored();

select rescore_items(array(select id from items));
`);
  }
}
