// Database: identities of firms, for clients who decide about them, and users' time zones.
import { Migration } from '@mikro-orm/migrations';

/*
 * Both are separate tables: firms and users give access, so changes there invalidate what gateways cache. Every state
 * of an identity is an event of the firm (firm_events, action `identity`), from which receipts take the identity at the
 * time of a step.
 */
export class Migration0033FirmIdentities extends Migration {
  override up(): void {
    this.addSql(`
create table firm_identities (
  firm_id text collate "C" primary key references firms,
  address text,
  website text,
  email text,
  phone text,
  updated_at timestamptz(3) not null default now_ms()
);

-- As the person's browser said when it last read the portal.
create table person_zones (
  user_id text collate "C" primary key references users on delete cascade,
  zone text not null,
  noted_at timestamptz(3) not null default now_ms()
);`);
  }
}
