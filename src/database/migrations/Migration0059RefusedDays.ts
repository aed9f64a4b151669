// Database: an index of the days on which a firm's calls were refused or failed, by which they are found in its list.
import { Migration } from '@mikro-orm/migrations';

export class Migration0059RefusedDays extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists access_days_refused_idx');
    this.addSql(
      'create index concurrently access_days_refused_idx on access_days (firm_id, status, day) where status >= 400',
    );
  }
}
