// Database: numbers of origins in the access record wrap around once all were used.
import { Migration } from '@mikro-orm/migrations';

/*
 * An origin is deleted once no month refers to it, and its number was never reused: with a million new ones a day, the
 * numbers would run out within six years. They are assigned by a default instead of an identity, so that gateways of
 * the previous release use it too.
 */
export class Migration0039OriginNumbers extends Migration {
  override up(): void {
    this.addSql(`
-- The next number of the table that none of its rows has.
create function unused_number(numbered regclass) returns integer language plpgsql as $$
declare
  numbers regclass := pg_get_serial_sequence(numbered::text, 'number');
  candidate integer;
  used boolean;
begin
  -- An attempt that ends here is not lost: the next one goes on where it ended.
  for attempt in 1..1000000 loop
    candidate := nextval(numbers);
    execute format('select exists (select from %s where number = $1)', numbered) into used using candidate;
    if not used then
      return candidate;
    end if;
  end loop;
  raise exception 'the next 1000000 numbers of % are all used', numbered using errcode = 'program_limit_exceeded';
end $$;

-- They go on where those before stop.
lock table access_origins in access exclusive mode;
create sequence access_origins_numbers as integer cycle;
select setval('access_origins_numbers', last_value, is_called) from access_origins_number_seq;
alter table access_origins alter number drop identity;
alter table access_origins alter number set default unused_number('access_origins');
alter sequence access_origins_numbers owned by access_origins.number;`);
  }
}
