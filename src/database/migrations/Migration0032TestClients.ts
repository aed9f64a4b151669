// Database: firms' own test clients, in the sandbox only.
import { Migration } from '@mikro-orm/migrations';

/*
 * A test client belongs to the firm that created it, and must be a sandbox client. The row of a deleted one remains for
 * the record of its grants; its items are deleted.
 *
 * Both columns count as access (Migration0017): where a deletion is repeated after a restore, its grants are revoked.
 */
export class Migration0032TestClients extends Migration {
  override up(): void {
    this.addSql(`
alter table users add column test_firm_id text collate "C", add column deleted_at timestamptz(3);
alter table users add constraint users_test_firm_fkey foreign key (test_firm_id) references firms not valid;
alter table users add constraint users_test_client_check
  check (test_firm_id is null or (role = 'client' and environment = 'sandbox')) not valid;
alter table users add constraint users_deleted_check check (deleted_at is null or test_firm_id is not null) not valid;`);
  }
}
