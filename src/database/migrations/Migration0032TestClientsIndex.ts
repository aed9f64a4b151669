// Database: an index of test clients by firm.
import { Migration } from '@mikro-orm/migrations';

export class Migration0032TestClientsIndex extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists users_test_firm_idx');
    this.addSql(
      'create index concurrently users_test_firm_idx on users (test_firm_id, created_at) where test_firm_id is not null',
    );
    for (const name of ['users_test_firm_fkey', 'users_test_client_check', 'users_deleted_check'])
      this.addSql(`alter table users validate constraint ${name}`);
  }
}
