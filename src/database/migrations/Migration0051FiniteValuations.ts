// Database: amounts of valuations are numbers, as those of items are (Migration0050); apart from these, to hold one table at a time.
import { Migration } from '@mikro-orm/migrations';

export class Migration0051FiniteValuations extends Migration {
  override up(): void {
    this.addSql(`
alter table valuations add constraint valuations_amount_finite check (amount < 'Infinity') not valid;`);
  }
}
