// Database: lists filtered by category or bounds are paged with an index-only scan.
import { Migration } from '@mikro-orm/migrations';

/**
 * Rows that a page skips, because they are before it or do not match, are not looked up. The new index is created
 * before the other is dropped, because from then on readers wait too.
 */
export class Migration0011WalksCovered extends Migration {
  override up(): void {
    this.addSql(`
create index items_walk_covered_idx on items (client_id, id) include (category, market_value);
drop index items_walk_idx;
alter index items_walk_covered_idx rename to items_walk_idx;`);
  }
}
