// Database: other recommended types of document change `documentation` of every item of the category.
import { Migration } from '@mikro-orm/migrations';

/** Categories are changed by hand or by a release. Partners who follow deltas must not keep the old scores. */
export class Migration0056ScoresInDeltas extends Migration {
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
  ids := array(select id from items where category = new.code);
  -- Scoring locks the items in the order of their ids.
  perform rescore_items(ids);
  perform touch_items(ids);
  return null;
end $$;`);
  }
}
