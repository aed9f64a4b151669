// Database: no notice goes to the temporary address that an import gives a user while several users swap addresses.
import { Migration } from '@mikro-orm/migrations';

/** The first change notifies the user's previous address (src/tools/import/write/users.ts). */
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
