// Database: whether a session began with a second factor.
import { Migration } from '@mikro-orm/migrations';
import { silence } from './silent-columns.ts';

export class Migration0028FactorsOfSessions extends Migration {
  override up(): void {
    this.addSql('alter table portal_sessions add column with_second_factor boolean not null default false');
    this.addSql(silence('portal_sessions', 'new_device,with_second_factor'));
  }
}
