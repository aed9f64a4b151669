// Database: the place of a database, which shows that it was restored, and revocations, which no backup may undo.
import { Migration } from '@mikro-orm/migrations';

/*
 * deployment.place is the place at which an operator last confirmed the database: its cluster, timeline and oid. At any
 * other place (a restored backup, a dump in another cluster, a promoted standby) the change log is not resumed, and
 * nobody is admitted, before confirm_place().
 *
 * revocations has a row for each act that revoked access, inserted in the transaction of the act. When it commits, the
 * session receives its rows as notices (INFO, SQLSTATE PRJ01) and writes them to the revocation journal before it
 * answers. Rows of other sessions are read from the table. Triggers list the columns of a table that do NOT matter, so
 * that columns added later count. No row contains a secret.
 */
export class Migration0017Restores extends Migration {
  override up(): void {
    this.addSql(`
create function database_place() returns text language plpgsql stable as $$
begin
  return concat_ws(' ', (select system_identifier from pg_control_system()),
    left(pg_walfile_name(pg_current_wal_insert_lsn()), 8),
    (select oid from pg_database where datname = current_database()));
end $$;

alter table deployment
  add column id uuid not null default gen_random_uuid(),
  add column place text not null default database_place();

create or replace function change_tracking() returns text language sql stable as $$
  select concat_ws(' ', database_place(), count(*),
    sum(xmin::text::bigint), sum(ascii(tgenabled)), sum(pg_relation_filenode(tgrelid)::bigint))
  from pg_trigger where not tgisinternal;
$$;

-- Without its run (database_run) the server has crashed, or was started from a copy of its files that may be old.
create or replace function resume_change_log() returns void language plpgsql as $$
declare
  restarted boolean;
begin
  if not exists (select from deployment where place = database_place()) then
    raise exception 'the database was restored, moved or promoted, and nobody has confirmed it' using errcode = '55R01';
  end if;
  insert into database_run default values on conflict do nothing;
  restarted := found;
  update change_log
  set tracking = change_tracking(), interrupted_at = now_ms(),
    -- Whatever was assigned before now.
    forgotten = (pg_snapshot_xmax(pg_current_snapshot())::text::numeric - 1)::text::xid8
  where restarted or tracking is distinct from change_tracking();
end $$;

-- Transaction ids that are not assigned yet are another cluster's: they would count as changes once this one gets there.
create function confirm_place() returns void language plpgsql as $$
begin
  delete from changes where xid >= pg_snapshot_xmax(pg_current_snapshot());
  delete from item_changes where xid >= pg_snapshot_xmax(pg_current_snapshot());
  update deployment set place = database_place();
  update change_log set tracking = '';
  perform resume_change_log();
end $$;

-- Acts that take access away -----------------------------------------------------------------------------------------

create table revocations (
  id uuid primary key default gen_random_uuid(),
  -- Readers that follow the table go by it; ids of open transactions come later.
  seq bigint generated always as identity unique,
  at timestamptz(3) not null default now_ms(),
  -- The row that gave access.
  table_name text collate "C" not null,
  row_id text collate "C" not null,
  -- Columns that changed; null where the row was deleted.
  changed text[] collate "C",
  -- What some of them are now.
  terms jsonb not null default '{}'
);

create function access_taken() returns trigger language plpgsql as $$
declare
  before jsonb := to_jsonb(old);
  after jsonb := to_jsonb(new);
begin
  insert into revocations (table_name, row_id, changed, terms)
  select tg_table_name, coalesce(before, after) ->> 'id',
    case when tg_op = 'UPDATE' then array(
      select key from jsonb_each(after) where value is distinct from before -> key order by key) end,
    (select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(after) where key = any(tg_argv));
  return null;
end $$;

create function access_truncated() returns trigger language plpgsql as $$
begin
  execute format('insert into revocations (table_name, row_id) select %L, id from %I', tg_table_name, tg_table_name);
  return null;
end $$;

-- At the commit, so that what is rolled back is told to nobody.
create function tell_revocation() returns trigger language plpgsql as $$
begin
  raise info using errcode = 'PRJ01', message = to_jsonb(new)::text;
  return null;
end $$;

create constraint trigger revocations_told after insert on revocations deferrable initially deferred
  for each row execute function tell_revocation();
create trigger revocations_fixed before update on revocations for each statement execute function refuse_update();
`);
    for (const { table, silent, when, terms } of ACCESS) {
      const less = (row: string) => `to_jsonb(${row}) - '{${silent.join(',')}}'::text[]`;
      this.addSql(`
create trigger ${table}_access_changed after update on ${table} for each row
  when (${less('old')} is distinct from ${less('new')}${when === undefined ? '' : ` and (${when.update})`})
  execute function access_taken(${terms.map((name) => `'${name}'`).join(', ')});
create trigger ${table}_access_deleted after delete on ${table} for each row
  ${when === undefined ? '' : `when (${when.delete})`} execute function access_taken();
create trigger ${table}_access_truncated before truncate on ${table}
  for each statement execute function access_truncated();`);
    }
    this.addSql(`
do $$
declare
  fired record;
begin
  for fired in select tgrelid::regclass as relation, tgname as name from pg_trigger
    where not tgisinternal and tgenabled <> 'A'
  loop
    execute format('alter table %s enable always trigger %I', fired.relation, fired.name);
  end loop;
end $$;
update change_log set tracking = change_tracking();`);
  }
}

interface AccessTable {
  table: string;
  /** Columns that do not affect access. */
  silent: string[];
  /** Conditions on rows that gave access before. */
  when?: { update: string; delete: string };
  /** Columns whose values are recorded. */
  terms: string[];
}

const TIMES = ['created_at', 'updated_at'];

const ACCESS: AccessTable[] = [
  {
    table: 'api_keys',
    silent: [
      ...['name', 'tier_override', 'secret_prefix', 'secret_last_four', 'created_by', 'created_at', 'last_used_at'],
      ...['rotated_to', 'revoked_by'],
    ],
    terms: ['revoked_at', 'expires_at', 'scopes'],
  },
  {
    table: 'grants',
    silent: ['addressee', 'untold', 'purpose', 'activated_at', 'ended_at', 'view_changed_at', ...TIMES],
    // Grants that expire also expire in a restored database.
    when: {
      update: `old.status = 'active' and not (new.status = 'expired' and coalesce(old.expires_at <= now(), false))
    or old.status = 'pending' and new.status not in ('pending', 'active')`,
      delete: `old.status in ('active', 'pending')`,
    },
    terms: ['status', 'scopes', 'filter', 'expires_at'],
  },
  {
    table: 'firms',
    silent: ['name', 'tier', 'request_limit', ...TIMES],
    when: { update: 'old.plan_active', delete: 'old.plan_active' },
    terms: ['plan', 'plan_active'],
  },
  { table: 'users', silent: ['name', 'populated_at', 'reporting_currency', ...TIMES], terms: [] },
  { table: 'service_tokens', silent: ['created_at'], terms: ['revoked_at', 'expires_at'] },
  { table: 'plant_tokens', silent: ['created_at'], terms: ['revoked_at', 'expires_at'] },
  { table: 'portal_accounts', silent: ['name', 'email_verified', 'image', ...TIMES], terms: [] },
  {
    table: 'portal_credentials',
    silent: [
      ...['oauth_access', 'oauth_access_expires_at', 'oauth_refresh', 'oauth_refresh_expires_at', 'oauth_identity'],
      ...['oauth_scope', ...TIMES],
    ],
    terms: [],
  },
  { table: 'portal_second_factors', silent: ['failed_verification_count', 'locked_until'], terms: [] },
  {
    table: 'portal_sessions',
    // A session is extended while it is used, and its expiry is not a revocation.
    silent: ['acting_user_id', 'ip_address', 'user_agent', 'expires_at', ...TIMES],
    when: { update: 'old.expires_at > now()', delete: 'old.expires_at > now()' },
    terms: [],
  },
  {
    table: 'portal_verifications',
    silent: ['held_value', 'expires_at', ...TIMES],
    when: { update: 'old.expires_at > now()', delete: 'old.expires_at > now()' },
    terms: [],
  },
];
