// Database: one open request per key and addressee, as written.
import { Migration } from '@mikro-orm/migrations';

export class Migration0019OpenRequests extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('alter table grants validate constraint grants_client_check');
    this.addSql('alter table grants validate constraint grants_untold_check');
    // By the addressee as the firm wrote it, not by the client meant: the index must not reveal that another spelling
    // reaches the same client.
    this.addSql('drop index concurrently if exists grants_one_open');
    this.addSql(`create unique index concurrently grants_one_open
      on grants (lineage_id, lower(coalesce(addressee, client_id))) where status = 'pending' or untold`);
    this.addSql('drop index concurrently if exists grants_one_pending');
  }
}
