// Database: correct handling of manual writes: items inserted with an older time, other isolation levels, and TRUNCATE.
import { Migration } from '@mikro-orm/migrations';

/*
 * - An item inserted for a client who had items before is newer than anything a partner has requested, whatever time
 *   its row has.
 * - The objects affected by a write are found in the writer's snapshot. A snapshot that lasts for a whole transaction
 *   (repeatable read, serializable) does not show what others have committed meanwhile, such as the membership in a
 *   collection that is being renamed, so that a change would go unnoticed. Unlike two writes of one row, this causes no
 *   serialization failure, so those transactions are refused.
 * - Rows with a portfolio's totals have no reference to its items, so that TRUNCATE does not cascade to them.
 */
export class Migration0049WritersByHand extends Migration {
  override up(): void {
    this.addSql(`
create or replace function register_write() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  started bigint;
begin
  if coalesce(current_setting('portico.write_started', true), '') = '' then
    if current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') then
      raise exception 'portfolios are not changed in a transaction that is %', current_setting('transaction_isolation')
        using errcode = '25001', hint = 'begin isolation level read committed';
    end if;
    started := floor(extract(epoch from clock_timestamp()) * 1000);
    -- 20559 in the key's upper 16 bits marks our locks; the lower 48 are Unix milliseconds.
    perform pg_advisory_xact_lock_shared((20559::bigint << 48) | started);
    perform set_config('portico.write_started', started::text, true);
  end if;
  return null;
end $$;

create or replace function items_inserted() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  started timestamptz := timestamptz 'epoch'
    + nullif(current_setting('portico.write_started', true), '')::bigint * interval '1 millisecond';
begin
  update items set revision = revision + 1
  where id in (
    select n.id from new_rows n join users u on u.id = n.client_id
    where n.updated_at < started and u.populated_at < started);
  update users set populated_at = now_ms()
  where populated_at is null and id in (select distinct client_id from new_rows);
  perform log_portfolios(array(select distinct client_id from new_rows));
  return null;
end $$;

create function items_uncounted() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  delete from portfolio_totals;
  return null;
end $$;

create trigger items_uncounted after truncate on items for each statement execute function items_uncounted();
alter table items enable always trigger items_uncounted;
update change_log set tracking = change_tracking();`);
  }
}
