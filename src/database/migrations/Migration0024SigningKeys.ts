// Database: the keys that consent receipts are signed with.
import { Migration } from '@mikro-orm/migrations';

/** A replaced key loses its private part: it signs nothing more, and its signatures can still be verified. */
export class Migration0024SigningKeys extends Migration {
  override up(): void {
    this.addSql(`
create table signing_keys (
  id text primary key,
  public_key jsonb not null,
  private_key jsonb,
  created_at timestamptz(3) not null default now(),
  retired_at timestamptz(3),
  check ((private_key is null) = (retired_at is not null))
);
create unique index signing_keys_one_signs on signing_keys ((true)) where retired_at is null;`);
  }
}
