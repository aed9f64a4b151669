// Database: amounts and quantities of items must be finite. PostgreSQL's numeric also has NaN and Infinity, which sort
// above every other number.
import { Migration } from '@mikro-orm/migrations';

/*
 * Totals are kept by differences: one such value, written by hand, would corrupt them even after it was corrected.
 * Existing rows are not checked.
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
