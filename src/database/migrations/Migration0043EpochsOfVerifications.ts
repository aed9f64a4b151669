// Database: the session epoch in which a sign-in began that waits for its second factor; null for other verifications.
import { Migration } from '@mikro-orm/migrations';
import { silence } from './silent-columns.ts';

export class Migration0043EpochsOfVerifications extends Migration {
  override up(): void {
    this.addSql('alter table portal_verifications add column session_epoch integer');
    this.addSql(silence('portal_verifications', 'session_epoch'));
  }
}
