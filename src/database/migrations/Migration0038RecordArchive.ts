// Database: which months of the access record have been archived to files.
import { Migration } from '@mikro-orm/migrations';

export class Migration0038RecordArchive extends Migration {
  override up(): void {
    this.addSql(`
-- One row once months were kept with an archive: from then on no process drops any of the record that is not in it.
create table record_archive (
  single boolean primary key default true check (single),
  since timestamptz(3) not null default now_ms()
);

-- Months of access_calls whose files have to be there, unless they were kept for long enough.
create table record_archive_months (
  month date primary key,
  archived_at timestamptz(3) not null default now_ms(),
  removed_at timestamptz(3)
);`);
  }
}
