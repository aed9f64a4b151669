// Database: firms make test clients of their own, in the sandbox alone.
import { Migration } from '@mikro-orm/migrations';

/*
 * A test client belongs to the firm that made it, and only sandbox clients can be one. The row of a deleted one stays, for the
 * record of what its grants were; its items go.
 *
 * Both columns count as access (Migration0017): where a deletion is done again after a restore, what is granted ends.
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
