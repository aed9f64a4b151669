// Database: completeness scores are computed while the item is locked, and all scores are computed once more.
import { Migration } from '@mikro-orm/migrations';

const PER_BATCH = 500;

/*
 * Changes of documents and categories, and upkeep, computed scores before the item was locked. What another transaction
 * had written but not yet committed was missing from the score, which then replaced the right one after that
 * transaction had committed.
 */
export class Migration0048ScoresOfLockedItems extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`
create or replace function rescore_items(ids text[]) returns void language sql set timezone = 'UTC' as $$
  -- The next statement has a snapshot of its own, of after the lock. What this transaction wrote is locked already.
  select from items where id = any(ids) and xmin <> pg_current_xact_id()::xid order by id for no key update;
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
$$`);
    this.addSql(`
do $$
declare
  last_id text := '';
  batch text[];
begin
  loop
    select array_agg(id order by id) into batch
    from (select id from items where id > last_id order by id limit ${PER_BATCH}) next;
    exit when batch is null;
    last_id := batch[array_length(batch, 1)];
    perform rescore_items(batch);
    commit;
  end loop;
end $$`);
  }
}
