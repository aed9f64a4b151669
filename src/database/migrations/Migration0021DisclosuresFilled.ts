// Database: numbers for items from before numbers, and for deleted ones that partners may still be notified of.
import { Migration } from '@mikro-orm/migrations';

const PER_BATCH = 500;

export class Migration0021DisclosuresFilled extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // Client by client: consecutive numbers take one byte each in a record. Each batch is a transaction.
    this.addSql(`
do $$
declare
  last_client text := '';
  last_id text := '';
  batch text[];
begin
  loop
    select array_agg(id order by client_id, id), max(client_id) into batch, last_client from (
      select client_id, id from items where (client_id, id) > (last_client, last_id)
      order by client_id, id limit ${PER_BATCH}) next;
    exit when batch is null;
    last_id := batch[array_length(batch, 1)];
    update items i set number = numbered.number
    from (select id, nextval('item_numbers') as number from unnest(batch) as b(id)) numbered
    where i.id = numbered.id and i.number is null;
    commit;
  end loop;
end $$`);
    this.addSql(`
insert into deleted_items (number, registry_id, client_id, deleted_at)
select nextval('item_numbers'), registry_id, client_id, removed_at from (
  select distinct on (registry_id) registry_id, client_id, removed_at from removals r
  where kind = 'deleted' and not exists (select from deleted_items d where d.registry_id = r.registry_id)
  order by registry_id, removed_at desc) removed
on conflict do nothing`);
    this.addSql('alter table items validate constraint items_number_check');
    this.addSql('drop index concurrently if exists items_number_key');
    this.addSql('create unique index concurrently items_number_key on items (number)');
  }
}
