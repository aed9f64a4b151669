// Database: columns and indexes for views of the access record by firm, key, outcome and day.
import { Migration } from '@mikro-orm/migrations';

export class Migration0006AccessActivity extends Migration {
  override up(): void {
    this.addSql(`
alter table access_records
  -- Null where the call was not refused, and in records older than this column.
  add error_code text collate "C",
  -- Whether a grant or a request joined key and client at the time. Firms are shown no other calls: an unknown client
  -- leaves no record, so a record alone would tell that there is such a client.
  add related boolean not null default true;

-- For every record that is saved.
create index grants_lineage_client_idx on grants (lineage_id, client_id);

update access_records r set related = false
where not exists (
  select from api_keys k join grants g on g.lineage_id = k.lineage_id
  where k.id = r.key_id and g.client_id = r.client_id);

-- Pages of the record end on the request id: calls of one millisecond are told apart by it. Every page is put together
-- key by key, so that two indexes serve both sides; what else is asked for stands in them, so that rows that are not
-- wanted are passed over there.
drop index access_records_client_idx, access_records_key_idx;
create index access_records_client_idx on access_records (client_id, key_id, at, request_id) include (status, endpoint);
create index access_records_key_idx on access_records (key_id, at, request_id) include (status, endpoint, related);
create index access_records_registry_idx on access_records (client_id, registry_id, at, request_id)
  where registry_id is not null;
create index access_records_client_errors_idx on access_records (client_id, at, request_id)
  include (status, endpoint, key_id) where status >= 400;
create index access_records_firm_errors_idx on access_records (firm_id, at, request_id)
  include (status, endpoint, key_id) where related and status >= 400;
create index access_records_at_idx on access_records using brin (at);

-- Related calls by UTC day: what charts are drawn from, however long the record is.
create table access_days (
  firm_id text collate "C" not null,
  key_id text collate "C" not null,
  day date not null,
  endpoint text collate "C" not null,
  status smallint not null,
  -- Empty where there was none.
  error_code text collate "C" not null,
  calls integer not null,
  primary key (firm_id, day, key_id, endpoint, status, error_code)
);

insert into access_days (firm_id, key_id, day, endpoint, status, error_code, calls)
select firm_id, key_id, (at at time zone 'UTC')::date, endpoint, status, '', count(*)
from access_records where related group by 1, 2, 3, 4, 5;
`);
  }
}
