// Database: other recommended types of document of a category also reach the items that are added to it meanwhile.
import { Migration } from '@mikro-orm/migrations';

/*
 * An item that another transaction added to the category, or moved into it, was scored by the former types and was not
 * visible to the change of the category. Adding and moving lock the category's key: the change now waits for those
 * transactions, and others that begin later wait for the change. Imports lock items before categories, so that they
 * are kept out first (src/repositories/import-lock.ts): they would deadlock with the change.
 */
export class Migration0058ScoresOfAddedItems extends Migration {
  override up(): void {
    this.addSql(`
create or replace function category_rescored() returns trigger language plpgsql
set search_path = public, pg_temp as $$
declare
  ids text[];
begin
  if new.recommended_documents = old.recommended_documents then
    return null;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('portico import', 0));
  perform from categories where code = new.code for update;
  ids := array(select id from items where category = new.code);
  -- Scoring locks the items in the order of their ids.
  perform rescore_items(ids);
  perform touch_items(ids);
  return null;
end $$;`);
  }
}
