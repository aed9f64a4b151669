// Database: the access record in small rows, partitioned by month: repeated values are stored once, and a month is
// dropped as a whole.
import { Migration } from '@mikro-orm/migrations';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Eight characters of a ULID from this one on, as ten hexadecimal digits. */
const hexOf = (from: number) =>
  `lpad(to_hex(${Array.from(
    { length: 8 },
    (_, at) => `(strpos('${ALPHABET}', substr(ulid, ${from + at}, 1)) - 1)::bigint << ${35 - 5 * at}`,
  )
    .map((part) => `(${part})`)
    .join(' + ')}), 10, '0')`;

/** Ten hexadecimal digits from this one on, as eight characters of a ULID. */
const charactersOf = (from: number) =>
  Array.from(
    { length: 8 },
    (_, at) =>
      `substr('${ALPHABET}', 1 + (('x' || substr(hex, ${from}, 10))::bit(40)::bigint >> ${35 - 5 * at} & 31)::integer, 1)`,
  ).join(' || ');

/*
 * access_calls is the clients' record: every call about a client. firm_refusals is what firms see of their keys' calls
 * that no grant joined to a client: written from the request alone, whether or not such a client exists. Rows refer by
 * number to what repeats: the key, the key with the client, the shape of the call, its origin. access_records remains
 * for gateways of the previous release, and what they insert there is copied.
 */
export class Migration0027AccessPartitions extends Migration {
  override up(): void {
    this.addSql(`
create function minute_of(at timestamptz) returns integer language sql immutable strict parallel safe
  return floor(date_part('epoch', at - timestamptz '2000-01-01 00:00:00+00') / 60)::integer;

-- A request id is req_ and a ULID, which holds 128 bits.
create function request_uuid(request_id text) returns uuid language sql immutable strict parallel safe cost 1000
  return (select (lpad(to_hex(((strpos('${ALPHABET}', substr(ulid, 1, 1)) - 1) << 5) + strpos('${ALPHABET}', substr(ulid, 2, 1)) - 1), 2, '0')
    || ${hexOf(3)} || ${hexOf(11)} || ${hexOf(19)})::uuid
    from (values (substr(request_id, 5))) as given (ulid));

create function request_id(id uuid) returns text language sql immutable strict parallel safe cost 1000
  return (select 'req_' || substr('${ALPHABET}', 1 + (first >> 5), 1) || substr('${ALPHABET}', 1 + (first & 31), 1)
    || ${charactersOf(3)} || ${charactersOf(13)} || ${charactersOf(23)}
    from (values (replace(id::text, '-', ''), ('x' || left(id::text, 2))::bit(8)::integer)) as given (hex, first));

-- What repeats. seen is the last day (UTC) on which a call named it; whom no kept call names can be forgotten.
create table access_keys (
  number integer generated always as identity primary key,
  key_id text collate "C" not null unique,
  firm_id text collate "C" not null,
  seen date not null
);

create table access_pairs (
  number integer generated always as identity primary key,
  client_id text collate "C" not null,
  key_id text collate "C" not null,
  seen date not null,
  unique (client_id, key_id)
);

create table access_shapes (
  number integer generated always as identity primary key,
  -- Of all columns below.
  hash uuid not null unique,
  seen date not null,
  endpoint text collate "C" not null,
  scopes smallint not null,
  error_code text collate "C",
  -- The parameter at fault, and what the caller was told.
  param text,
  message text,
  disclosed smallint,
  includes smallint,
  version date,
  tool_role text,
  tool_id text collate "C"
);

create table access_origins (
  number integer generated always as identity primary key,
  hash uuid not null unique,
  seen date not null,
  address text,
  user_agent text
);

-- No column but items is null in the calls there are most of: a single null costs each of them eight bytes.
create table access_calls (
  at timestamptz(3) not null,
  id uuid not null,
  key integer not null,
  pair integer not null,
  shape integer not null,
  origin integer,
  -- From the first byte of the request to the answer.
  took_us integer,
  status smallint not null,
  -- Whether a grant joined key and client at the time, and the firm itself called. Firms are shown no other calls from here.
  related boolean not null,
  items bytea,
  removed bytea not null default '',
  registry_id text collate "C" not null default ''
) partition by range (at);
create index access_calls_pair_idx on access_calls (pair, minute_of(at));
create index access_calls_key_idx on access_calls (key, minute_of(at));
create index access_calls_pair_errors_idx on access_calls (pair, minute_of(at)) where status >= 400;
create index access_calls_key_errors_idx on access_calls (key, minute_of(at)) where status >= 400;

create table firm_refusals (
  at timestamptz(3) not null,
  id uuid not null,
  key integer not null,
  shape integer not null,
  origin integer,
  took_us integer,
  status smallint not null,
  -- As the caller wrote them, where they are of the form of ids.
  client_id text collate "C",
  registry_id text collate "C",
  -- The path, where it is no route's.
  path text
) partition by range (at);
create index firm_refusals_key_idx on firm_refusals (key, minute_of(at));

-- A month of a table, UTC. It is made beside the table and then attached, which no writer waits for.
create function add_access_month(parent text, month date) returns boolean language plpgsql as $$
declare
  name text := parent || '_' || to_char(month, 'YYYY_MM');
  begins text := to_char(month, 'YYYY-MM') || '-01 00:00:00+00';
  ends text := to_char(month + interval '1 month', 'YYYY-MM') || '-01 00:00:00+00';
begin
  if exists (select from pg_inherits where inhparent = parent::regclass and inhrelid = to_regclass(name)) then
    return false;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('portico ' || name, 0));
  if exists (select from pg_inherits where inhparent = parent::regclass and inhrelid = to_regclass(name)) then
    return false;
  end if;
  execute format('create table if not exists %I (like %I including all)', name, parent);
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, name, begins, ends);
  return true;
end $$;

-- By month ahead, so that nobody has to make one when it begins.
do $$ begin
  for ahead in 0..2 loop
    perform add_access_month(parent, (date_trunc('month', now() at time zone 'UTC') + ahead * interval '1 month')::date)
    from unnest(array['access_calls', 'firm_refusals']) parent;
  end loop;
end $$;

-- The last batch that a gateway has saved; so none is saved twice. writer is of one start of one process.
create table access_writers (
  writer uuid primary key,
  batch bigint not null,
  saved_at timestamptz(3) not null default now_ms()
);

alter table access_days
  -- Of the calls, those that were counted and not listed: there were too many in a minute.
  add unlisted integer not null default 0;

-- Calls without a key of any firm, by UTC day.
create table stranger_days (
  day date not null,
  error_code text collate "C" not null,
  calls integer not null,
  primary key (day, error_code)
);

-- Calls as they were written before, from access_records; those that are there already are left out.
create function copy_access_records(request_ids text[]) returns void language plpgsql as $$
begin
  perform add_access_month('access_calls', month) from (
    select distinct date_trunc('month', at at time zone 'UTC')::date as month
    from access_records where request_id = any(request_ids)) months;
  insert into access_keys (key_id, firm_id, seen)
  select key_id, min(firm_id), max((at at time zone 'UTC')::date) from access_records where request_id = any(request_ids) group by 1
  order by 1
  on conflict (key_id) do update set seen = excluded.seen where access_keys.seen < excluded.seen;
  insert into access_pairs (client_id, key_id, seen)
  select client_id, key_id, max((at at time zone 'UTC')::date) from access_records where request_id = any(request_ids) group by 1, 2
  order by 1, 2
  on conflict (client_id, key_id) do update set seen = excluded.seen where access_pairs.seen < excluded.seen;
  insert into access_shapes (hash, seen, endpoint, scopes, error_code, disclosed, includes, version, tool_role, tool_id)
  select access_shape_hash(r), max((at at time zone 'UTC')::date), endpoint, scopes, error_code, disclosed, includes, version, tool_role, tool_id
  from access_records r where request_id = any(request_ids) group by 1, 3, 4, 5, 6, 7, 8, 9, 10
  order by 1
  on conflict (hash) do update set seen = excluded.seen where access_shapes.seen < excluded.seen;
  -- Each id and hash is worked out once.
  with given as materialized (
    select r.*, request_uuid(r.request_id) as uuid, access_shape_hash(r) as shape_hash
    from access_records r where request_id = any(request_ids))
  insert into access_calls (at, id, key, pair, shape, status, related, items, removed, registry_id)
  select r.at, r.uuid, k.number, p.number, s.number, r.status, r.related, r.items, coalesce(r.removed, ''), coalesce(r.registry_id, '')
  from given r
  join access_keys k on k.key_id = r.key_id
  join access_pairs p on p.client_id = r.client_id and p.key_id = r.key_id
  join access_shapes s on s.hash = r.shape_hash
  where not exists (
    select from access_calls c
    where c.pair = p.number and minute_of(c.at) = minute_of(r.at) and c.at = r.at and c.id = r.uuid)
  order by r.at, r.request_id;
end $$;

create function access_shape_hash(r access_records) returns uuid language sql immutable
  return md5(concat_ws(chr(31), 'record', r.endpoint, r.scopes, coalesce(r.error_code, '-'), coalesce(r.disclosed, -1),
    coalesce(r.includes, -1), coalesce(r.version - date '2000-01-01', -1), coalesce(r.tool_role, '-'), coalesce(r.tool_id, '-')))::uuid;

create function copy_written_records() returns trigger language plpgsql as $$
begin
  perform copy_access_records(array(select request_id from new_rows));
  return null;
end $$;

create trigger access_records_copied after insert on access_records referencing new table as new_rows
  for each statement execute function copy_written_records();
alter table access_records enable always trigger access_records_copied;

-- For people with psql, and for reports: the clients' record with everything that it names.
create view recorded_calls as
select request_id(r.id) as request_id, r.at, k.firm_id, p.key_id, p.client_id, s.endpoint,
  nullif(r.registry_id, '') as registry_id, s.scopes, r.status, s.error_code, r.related, s.tool_role, s.tool_id,
  r.items, nullif(r.removed, '') as removed, s.disclosed, s.includes, s.version, s.param, s.message, r.took_us, o.address, o.user_agent
from access_calls r
join access_pairs p on p.number = r.pair
join access_keys k on k.number = r.key
join access_shapes s on s.number = r.shape
left join access_origins o on o.number = r.origin;
`);
  }
}
