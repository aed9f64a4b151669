// Database: since when what is recorded waits to be appended to the ledger.
import { Migration } from '@mikro-orm/migrations';

/** The transaction's time, which does not rewrite the table: rows that wait already get the migration's. */
export class Migration0037LedgerAges extends Migration {
  override up(): void {
    this.addSql('alter table ledger_pending add at timestamptz(3) not null default now()');
  }
}
