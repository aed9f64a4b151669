// Database: who firms are, for the clients who decide about them, and in which zone people are told times.
import { Migration } from '@mikro-orm/migrations';

/*
 * Both in tables of their own: firms and users give access, and what changes in them ends what gateways keep of it. Every
 * state of an identity is an event of the firm (firm_events, action `identity`), by which receipts know what held at a step.
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
