// Database: lists that a category or bounds narrow are walked through in an index alone.
import { Migration } from '@mikro-orm/migrations';

/**
 * Rows that a page passes over, because they are before it or not wanted, are not looked up. The index is built before the
 * other is dropped: from then on readers wait too.
 */
export class Migration0011WalksCovered extends Migration {
  override up(): void {
    this.addSql(`
create index items_walk_covered_idx on items (client_id, id) include (category, market_value);
drop index items_walk_idx;
alter index items_walk_covered_idx rename to items_walk_idx;`);
  }
}
