// Database: changed_since() uses one generic plan. For a list of unknown length PostgreSQL estimates more entries than
// any list has, and would plan each call anew, which takes many times as long as the query.
import { Migration } from '@mikro-orm/migrations';

export class Migration0041ChangedSince extends Migration {
  override up(): void {
    this.addSql(
      'alter function changed_since(text[], pg_snapshot, timestamptz) set plan_cache_mode = force_generic_plan',
    );
  }
}
