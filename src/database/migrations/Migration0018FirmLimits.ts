// Database: a firm may have a limit of its own, besides those of its keys.
import { Migration } from '@mikro-orm/migrations';

/** The rows that are there have none, so nothing is read; what is written from now on is checked. */
export class Migration0018FirmLimits extends Migration {
  override up(): void {
    this.addSql(`
alter table firms add column request_limit integer;
alter table firms add constraint firms_request_limit_check check (request_limit between 1 and 65535) not valid;`);
  }
}
