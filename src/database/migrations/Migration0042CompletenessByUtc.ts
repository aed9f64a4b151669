// Database: which documents have expired is a matter of the day in UTC, whatever time zone the session of a writer has.
import { Migration } from '@mikro-orm/migrations';

export class Migration0042CompletenessByUtc extends Migration {
  override up(): void {
    this.addSql("alter function rescore_items(text[]) set timezone = 'UTC'");
  }
}
