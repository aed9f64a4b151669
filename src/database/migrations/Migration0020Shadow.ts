// Database: shadow mode of limits: requests over them are counted and reported, but admitted.
import { Migration } from '@mikro-orm/migrations';

/*
 * One row for each change of the mode, of a tier or of a key with its rotations. The last row of each is in force. Rows
 * are only added, so that the table is also the record.
 *
 * Cached admissions depend on the modes: every change is logged under one subject, which all admissions check.
 * Portfolios and the responses made from them do not depend on them.
 */
export class Migration0020Shadow extends Migration {
  override up(): void {
    this.addSql(`
create table limit_shadows (
  id bigint generated always as identity primary key,
  tier text check (tier in ('sandbox', 'standard', 'elevated', 'enterprise')),
  lineage_id text collate "C" references api_keys,
  shadowed boolean not null,
  at timestamptz(3) not null default now_ms(),
  actor text not null,
  reason text not null,
  check (num_nonnulls(tier, lineage_id) = 1)
);
create index limit_shadows_tier_idx on limit_shadows (tier, id);
create index limit_shadows_lineage_idx on limit_shadows (lineage_id, id);

create function limits_changed() returns trigger language plpgsql as $$
begin
  perform log_changes(array['limits']);
  return null;
end $$;

create trigger limit_shadows_logged after insert or delete on limit_shadows
  for each statement execute function limits_changed();
create trigger limit_shadows_fixed before update on limit_shadows
  for each statement execute function refuse_update();
alter table limit_shadows enable always trigger limit_shadows_logged, enable always trigger limit_shadows_fixed;
update change_log set tracking = change_tracking();`);
  }
}
