// Database: who changed the limit of a firm, and when.
import { Migration } from '@mikro-orm/migrations';

/** Who set the existing limits was not recorded. */
export class Migration0023FirmLimitEvents extends Migration {
  override up(): void {
    this.addSql(`
create table firm_events (
  id bigint generated always as identity primary key,
  firm_id text collate "C" not null references firms,
  at timestamptz(3) not null default now_ms(),
  actor text not null,
  action text not null,
  details jsonb not null default '{}'
);
create index firm_events_firm_idx on firm_events (firm_id, id);`);
  }
}
