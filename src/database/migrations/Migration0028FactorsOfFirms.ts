// Database: a firm's requirement of a second factor for its members.
import { Migration } from '@mikro-orm/migrations';
import { silence } from './silent-columns.ts';

export class Migration0028FactorsOfFirms extends Migration {
  override up(): void {
    this.addSql('alter table firms add column second_factor_required boolean not null default false');
    this.addSql(silence('firms', 'second_factor_required'));
  }
}
