// Database: the subject of an act on a firm's record, and the record that it repeats.
import { Migration } from '@mikro-orm/migrations';

export class Migration0028SubjectsOfFirmEvents extends Migration {
  override up(): void {
    this.addSql(`
alter table firm_events
  -- What it was done to: a key, a grant, a member, an invitation; null: the firm itself.
  add column subject text collate "C",
  -- The event of a key or a grant that it repeats.
  add column source text collate "C"`);
  }
}
