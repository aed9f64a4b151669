// Database: the session epoch of the account in which a session began.
import { Migration } from '@mikro-orm/migrations';
import { silence } from './silent-columns.ts';

export class Migration0043EpochsOfSessions extends Migration {
  override up(): void {
    this.addSql('alter table portal_sessions add column session_epoch integer default 0');
    this.addSql(silence('portal_sessions', 'session_epoch'));
  }
}
