// Database: the quarter of an hour of counted calls, so that they can be summed by the days of any time zone.
import { Migration } from '@mikro-orm/migrations';

/*
 * Set by a trigger, so that it also works for gateways of the previous release. Calls are usually counted within
 * seconds. Those counted later (after an outage of the database, or synthetic data) have a day but no quarter, and so
 * have earlier days.
 */
export class Migration0033QuartersOfDays extends Migration {
  override up(): void {
    this.addSql(`
-- Calls by quarter of an hour of UTC, 96 of them; null where none is known. Their sum is at most \`calls\`.
alter table access_days add quarters integer[];

create function count_quarter() returns trigger language plpgsql as $$
declare
  moment timestamp := clock_timestamp() at time zone 'UTC';
  -- What was called in the last seconds of a day is counted in the first of the next.
  counted timestamp := case when new.day = moment::date then moment
    when new.day = moment::date - 1 and moment::time < '00:05' then new.day + interval '1 day' - interval '1 second' end;
  quarter integer := 1 + floor(extract(epoch from counted::time) / 900);
  more integer := new.calls - case tg_op when 'UPDATE' then old.calls else 0 end;
begin
  if counted is null or more <= 0 then
    return new;
  end if;
  new.quarters := coalesce(new.quarters, array_fill(0, array[96]));
  new.quarters[quarter] := new.quarters[quarter] + more;
  return new;
end $$;

create trigger access_days_quarter before insert or update of calls on access_days
  for each row execute function count_quarter();
alter table access_days enable always trigger access_days_quarter;
update change_log set tracking = change_tracking();`);
  }
}
