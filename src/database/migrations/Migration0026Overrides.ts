// Database: overrides of limits with an end, sums of what limits admitted and refused, and the state of gateways.
import { Migration } from '@mikro-orm/migrations';

/*
 * - limit_shadows.ends_at: after its end a row is ignored, and the one before it is in force again.
 * - brief_limits: overrides with an end. The last row of a lineage, or of a firm, is in force until its end; then the
 *   value in api_keys or firms is in force again. A row without an end cancels an earlier one. Rows are only added.
 *   Cached admissions learn of new rows by the subject of all limits, and know the end of those that they were made
 *   from.
 * - limit_sums: sums by minute and by quarter of an hour, by key and tier, of all gateways. They are kept for a limited
 *   time.
 * - gateway_processes: the last reported state of each process.
 */
export class Migration0026Overrides extends Migration {
  override up(): void {
    this.addSql(`
alter table limit_shadows add column ends_at timestamptz(3);

create table brief_limits (
  id bigint generated always as identity primary key,
  lineage_id text collate "C" references api_keys,
  firm_id text collate "C" references firms,
  tier text check (tier in ('sandbox', 'standard', 'elevated', 'enterprise')),
  per_minute integer check (per_minute between 1 and 65535),
  ends_at timestamptz(3),
  at timestamptz(3) not null default now_ms(),
  check (num_nonnulls(lineage_id, firm_id) = 1),
  check (case when lineage_id is null then tier is null and (per_minute is null) = (ends_at is null)
    else per_minute is null and (tier is null) = (ends_at is null) end)
);
create index brief_limits_lineage_idx on brief_limits (lineage_id, id) where lineage_id is not null;
create index brief_limits_firm_idx on brief_limits (firm_id, id) where firm_id is not null;
create trigger brief_limits_logged after insert or delete on brief_limits
  for each statement execute function limits_changed();
create trigger brief_limits_fixed before update on brief_limits
  for each statement execute function refuse_update();
alter table brief_limits enable always trigger brief_limits_logged, enable always trigger brief_limits_fixed;
update change_log set tracking = change_tracking();

create table limit_sums (
  seconds smallint not null check (seconds in (60, 900)),
  at timestamptz(3) not null,
  key_id text collate "C" not null,
  tier text not null,
  admitted integer not null,
  refused integer not null,
  near integer not null,
  let_pass integer not null,
  primary key (seconds, at, key_id, tier)
) with (fillfactor = 70);

create table gateway_processes (
  id text collate "C" primary key,
  seen_at timestamptz(3) not null default now_ms(),
  started_at timestamptz(3) not null,
  host text not null,
  limiter text not null,
  limiter_since timestamptz(3) not null,
  limiter_reason text,
  records_waiting integer not null,
  replicas_away integer not null
) with (fillfactor = 50);`);
  }
}
