// Database: the address that an import gives a user in between, where several swap theirs, is nobody's to be told at.
import { Migration } from '@mikro-orm/migrations';

/** The first change tells the one that was theirs (src/tools/import/write/users.ts). */
export class Migration0047AddressesMoved extends Migration {
  override up(): void {
    this.addSql(`
drop trigger users_tell_email on users;
create trigger users_tell_email after update of email on users
  for each row when (lower(new.email) is distinct from lower(old.email) and old.email <> old.id || '@moving')
  execute function tell_of_email();
alter table users enable always trigger users_tell_email;
update change_log set tracking = change_tracking();`);
  }
}
