// Database: at which quarter of an hour the calls of a day were counted, so that they can be counted by the days of any place.
import { Migration } from '@mikro-orm/migrations';

/*
 * A trigger notes it, so that gateways of the release before do too. Calls are counted within seconds of being made; those
 * that are not (a database that was away, data that is made up) have a day and no quarter. So have days from before.
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
