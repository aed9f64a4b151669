// Database: members from before roles become administrators, and earlier acts are copied to the firm's record.
import { Migration } from '@mikro-orm/migrations';

const PER_BATCH = 500;

/** May be repeated: existing rows are kept. */
export class Migration0030TeamsFilled extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // Members from before roles could do everything.
    this.addSql(`
do $$
begin
  loop
    update users set firm_role = 'administrator' where id in (
      select id from users where firm_id is not null and role = 'firm_member' and firm_role is null limit ${PER_BATCH});
    exit when not found;
    commit;
  end loop;
end $$`);
    this.addSql('alter table users validate constraint users_firm_role_check');
    // A person removed from one firm may be a member of another.
    this.addSql('drop index concurrently if exists users_present_email_key');
    this.addSql(
      `create unique index concurrently users_present_email_key on users (lower(email), role, coalesce(environment, '')) where removed_at is null`,
    );
    this.addSql('drop index concurrently if exists users_email_key');

    this.addSql('drop index concurrently if exists firm_events_source_key');
    this.addSql('create unique index concurrently firm_events_source_key on firm_events (source)');
    this.addSql('drop index concurrently if exists firm_events_at_idx');
    this.addSql('create index concurrently firm_events_at_idx on firm_events (firm_id, at, id)');
    this.addSql('drop index concurrently if exists firm_events_firm_idx');
    this.addSql(
      copied(
        'key_events',
        `select k.firm_id, e.at, e.actor, 'key_' || e.action, k.id, jsonb_build_object('name', k.name) || e.details,
          'key_events ' || e.id
        from key_events e join api_keys k on k.id = e.key_id
        where e.id > last and e.id <= upto and not (e.action = 'create' and e.details ? 'predecessor')`,
      ),
    );
    this.addSql(
      copied(
        'grant_events',
        `select k.firm_id, e.at, e.actor, 'grant_' || e.action, g.id, jsonb_build_object('name', k.name, 'key', k.id),
          'grant_events ' || e.id
        from grant_events e join grants g on g.id = e.grant_id join api_keys k on k.id = g.lineage_id
        where e.id > last and e.id <= upto and e.action in ('request', 'withdraw') and e.actor not like 'system:%'`,
      ),
    );
  }
}

/** By ranges of ids, each in a transaction. */
const copied = (table: string, rows: string) => `
do $$
declare
  last bigint := 0;
  upto bigint;
begin
  loop
    select max(id) into upto from (select id from ${table} where id > last order by id limit ${PER_BATCH}) next;
    exit when upto is null;
    insert into firm_events (firm_id, at, actor, action, subject, details, source) ${rows} on conflict (source) do nothing;
    last := upto;
    commit;
  end loop;
end $$`;
