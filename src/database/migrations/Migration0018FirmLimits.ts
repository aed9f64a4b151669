// Database: an optional limit for each firm, in addition to those of its keys.
import { Migration } from '@mikro-orm/migrations';

/** The constraint is not validated: existing rows have no limit, and need not be read. */
export class Migration0018FirmLimits extends Migration {
  override up(): void {
    this.addSql(`
alter table firms add column request_limit integer;
alter table firms add constraint firms_request_limit_check check (request_limit between 1 and 65535) not valid;`);
  }
}
