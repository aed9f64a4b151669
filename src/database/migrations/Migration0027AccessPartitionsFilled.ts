// Database: copies the calls recorded before the record was partitioned by month.
import { Migration } from '@mikro-orm/migrations';

const PER_BATCH = 2_000;

export class Migration0027AccessPartitionsFilled extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // Ids ascend with time. Each batch is a transaction. Rows inserted meanwhile are copied when they are inserted.
    this.addSql(`
do $$
declare
  last_id text := '';
  batch text[];
begin
  loop
    select array_agg(request_id order by request_id) into batch
    from (select request_id from access_records where request_id > last_id order by request_id limit ${PER_BATCH}) next;
    exit when batch is null;
    last_id := batch[array_length(batch, 1)];
    perform copy_access_records(batch);
    commit;
  end loop;
end $$`);
  }
}
