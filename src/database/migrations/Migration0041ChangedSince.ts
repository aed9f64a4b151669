// Database: what changed is asked by one plan for all calls. Of a list of unknown length PostgreSQL expects more than there is in any, and
// would plan each call anew, which takes many times as long as the answer.
import { Migration } from '@mikro-orm/migrations';

export class Migration0041ChangedSince extends Migration {
  override up(): void {
    this.addSql(
      'alter function changed_since(text[], pg_snapshot, timestamptz) set plan_cache_mode = force_generic_plan',
    );
  }
}
