// Database: how often all sessions of an account were ended.
import { Migration } from '@mikro-orm/migrations';
import { silence } from './silent-columns.ts';

export class Migration0043EpochsOfAccounts extends Migration {
  override up(): void {
    this.addSql('alter table portal_accounts add column session_epoch integer not null default 0');
    this.addSql(silence('portal_accounts', 'session_epoch'));
  }
}
