// Database: a note for each key, and the networks from which it may be used.
import { Migration } from '@mikro-orm/migrations';

/*
 * An empty list means no restriction, as for all keys before. PostgreSQL checks the form of each network, and that no
 * address bits lie beyond its mask.
 *
 * The networks of a key affect access and count for the revocation journal (Migration0017). Its note does not.
 */
export class Migration0031KeySettings extends Migration {
  override up(): void {
    this.addSql(`
alter table api_keys add column note text, add column allowed_networks cidr[] not null default '{}';
alter table api_keys add constraint api_keys_allowed_networks_check check (cardinality(allowed_networks) <= 50) not valid;

drop trigger api_keys_access_changed on api_keys;
create trigger api_keys_access_changed after update on api_keys for each row
  when (to_jsonb(old) - '${SILENT}'::text[] is distinct from to_jsonb(new) - '${SILENT}'::text[])
  execute function access_taken('revoked_at', 'expires_at', 'scopes', 'allowed_networks');
alter table api_keys enable always trigger api_keys_access_changed;
update change_log set tracking = change_tracking();`);
  }
}

/** Columns that do not affect access. */
const SILENT = `{${[
  ...['name', 'note', 'tier_override', 'secret_prefix', 'secret_last_four', 'created_by', 'created_at', 'last_used_at'],
  ...['rotated_to', 'revoked_by'],
].join(',')}}`;
