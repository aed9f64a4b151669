// Database: amounts of valuations must be finite, as those of items (Migration0050). A separate migration, to lock one
// table at a time.
import { Migration } from '@mikro-orm/migrations';

export class Migration0051FiniteValuations extends Migration {
  override up(): void {
    this.addSql(`
alter table valuations add constraint valuations_amount_finite check (amount < 'Infinity') not valid;`);
  }
}
