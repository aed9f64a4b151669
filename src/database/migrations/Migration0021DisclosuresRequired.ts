// Database: a column constraint that every item has a number. It was checked before, so that no row is read.
import { Migration } from '@mikro-orm/migrations';

export class Migration0021DisclosuresRequired extends Migration {
  override up(): void {
    this.addSql('alter table items alter column number set not null');
    this.addSql('alter table items drop constraint items_number_check');
  }
}
