// Database: indexes for what expires, which is queried every minute.
import { Migration } from '@mikro-orm/migrations';

export class Migration0025NotificationIndexes extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const [table, column] of [
      ['grants', 'expires_at'],
      ['api_keys', 'expires_at'],
    ]) {
      this.addSql(`drop index concurrently if exists ${table}_expiry_idx`);
      this.addSql(`create index concurrently ${table}_expiry_idx on ${table} (${column}) where ${column} is not null`);
    }
  }
}
