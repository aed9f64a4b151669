// Database: amounts and quantities of items are numbers. PostgreSQL counts NaN and Infinity among them, and above every other.
import { Migration } from '@mikro-orm/migrations';

/*
 * Totals are kept by differences: one such value, written by hand, spoils them also after it has been put right. Rows that are
 * there are not looked at.
 */
export class Migration0050FiniteAmounts extends Migration {
  override up(): void {
    this.addSql(`
alter table items
  add constraint items_quantity_finite check (quantity < 'Infinity') not valid,
  add constraint items_market_value_finite check (market_value < 'Infinity') not valid,
  add constraint items_purchase_amount_finite check (purchase_amount < 'Infinity') not valid,
  add constraint items_insurance_amount_finite check (insurance_amount < 'Infinity') not valid;`);
  }
}
