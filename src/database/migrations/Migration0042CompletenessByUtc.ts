// Database: documents expire by the UTC date, regardless of the time zone of the writing session.
import { Migration } from '@mikro-orm/migrations';

export class Migration0042CompletenessByUtc extends Migration {
  override up(): void {
    this.addSql("alter function rescore_items(text[]) set timezone = 'UTC'");
  }
}
