// Database: an open request of a key is the same one where its words are.
import { Migration } from '@mikro-orm/migrations';

export class Migration0019OpenRequests extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('alter table grants validate constraint grants_client_check');
    this.addSql('alter table grants validate constraint grants_untold_check');
    // By what the firm wrote, and not by whom it meant: that another spelling reaches the same client is not told.
    this.addSql('drop index concurrently if exists grants_one_open');
    this.addSql(`create unique index concurrently grants_one_open
      on grants (lineage_id, lower(coalesce(addressee, client_id))) where status = 'pending' or untold`);
    this.addSql('drop index concurrently if exists grants_one_pending');
  }
}
