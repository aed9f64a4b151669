// Database: since when recorded entries have waited to be appended to the ledger.
import { Migration } from '@mikro-orm/migrations';

/** The default is the transaction's time, so that the table is not rewritten: waiting rows get the migration's time. */
export class Migration0037LedgerAges extends Migration {
  override up(): void {
    this.addSql('alter table ledger_pending add at timestamptz(3) not null default now()');
  }
}
