// Database: each client's number of items by category and their total value, without reading the items.
import { Migration } from '@mikro-orm/migrations';

/*
 * Each transaction adds rows with its changes of the totals. Their sum is exact in every snapshot, as the items
 * themselves are. Rows are never updated, so no transaction waits for another; fold_portfolio_totals() merges rows
 * periodically.
 */
export class Migration0008PortfolioTotals extends Migration {
  override up(): void {
    this.addSql(`
create table portfolio_totals (
  id bigint generated always as identity primary key,
  client_id text collate "C" not null,
  category text collate "C" not null,
  items bigint not null,
  -- Over the items that have a market value.
  value numeric not null
);
create index portfolio_totals_idx on portfolio_totals (client_id, category) include (items, value);

create function fold_portfolio_totals() returns void language sql as $$
  with folded as (
    delete from portfolio_totals t using (
      select client_id, category from portfolio_totals group by 1, 2 having count(*) > 1) many
    where t.client_id = many.client_id and t.category = many.category
    returning t.client_id, t.category, t.items, t.value)
  insert into portfolio_totals (client_id, category, items, value)
  select client_id, category, sum(items), sum(value) from folded group by 1, 2
  having sum(items) <> 0 or sum(value) <> 0;
$$;

create function items_counted() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into portfolio_totals (client_id, category, items, value)
    select client_id, category, count(*), coalesce(sum(market_value), 0) from new_rows group by 1, 2;
  elsif tg_op = 'DELETE' then
    insert into portfolio_totals (client_id, category, items, value)
    select client_id, category, -count(*), -coalesce(sum(market_value), 0) from old_rows group by 1, 2;
  else
    insert into portfolio_totals (client_id, category, items, value)
    select client_id, category, sum(items), sum(value) from (
      select client_id, category, 1 as items, coalesce(market_value, 0) as value from new_rows
      union all
      select client_id, category, -1, -coalesce(market_value, 0) from old_rows) moved
    group by 1, 2 having sum(items) <> 0 or sum(value) <> 0;
  end if;
  return null;
end $$;

create trigger items_counted_inserted after insert on items referencing new table as new_rows
  for each statement execute function items_counted();
create trigger items_counted_updated after update on items referencing old table as old_rows new table as new_rows
  for each statement execute function items_counted();
create trigger items_counted_deleted after delete on items referencing old table as old_rows
  for each statement execute function items_counted();

insert into portfolio_totals (client_id, category, items, value)
select client_id, category, count(*), coalesce(sum(market_value), 0) from items group by 1, 2;
`);
  }
}
