// Database: which triggers must exist, so that a missing one is noticed, for example after a partial restore.
import { Migration } from '@mikro-orm/migrations';

/*
 * expected_triggers has every trigger of the applied migrations. This migration adds those made by the migrations
 * before it. For later ones, `migrate` (src/database/migrate.ts) records what each made and dropped, and applies none
 * while a trigger is missing. Without them the change log is not resumed and nobody is admitted, because what a missing
 * trigger would have logged, counted or notified would go unnoticed.
 */
export class Migration0052ExpectedTriggers extends Migration {
  override up(): void {
    const expected = Object.entries(TRIGGERS).flatMap(([relation, names]) =>
      names
        .trim()
        .split(/\s+/)
        .map((name) => `('${relation}', '${name}')`),
    );
    this.addSql(`
create table expected_triggers (
  relation text collate "C" not null,
  name text collate "C" not null,
  -- By which it is made again; null where it was missing when this was noted.
  definition text,
  primary key (relation, name)
);

-- Those of partitions come and go with them.
create function present_triggers() returns table (relation text, name text, definition text) language sql stable
set search_path = public, pg_temp as $$
  select tgrelid::regclass::text, tgname::text, pg_get_triggerdef(oid) from pg_trigger
  where not tgisinternal and tgparentid = 0
    and tgrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace);
$$;

create function missing_triggers() returns setof expected_triggers language sql stable
set search_path = public, pg_temp as $$
  select * from expected_triggers e
  where not exists (select from pg_trigger where tgrelid = to_regclass(e.relation) and tgname = e.name);
$$;

-- All but those that no migration made, each as table.name.
create function note_triggers(others text[]) returns void language sql set search_path = public, pg_temp as $$
  delete from expected_triggers;
  insert into expected_triggers (relation, name, definition)
  select * from present_triggers() where concat_ws('.', relation, name) <> all(others);
$$;

insert into expected_triggers (relation, name, definition)
select e.relation, e.name, p.definition from (values ${expected.join(', ')}) e (relation, name)
left join present_triggers() p using (relation, name);

create or replace function resume_change_log() returns void language plpgsql set search_path = public, pg_temp as $$
declare
  restarted boolean;
  missing text;
begin
  if not exists (select from deployment where place = database_place()) then
    raise exception 'the database was restored, moved or promoted, and nobody has confirmed it' using errcode = '55R01';
  end if;
  select string_agg(relation || '.' || name, ', ') into missing from missing_triggers();
  if missing is not null then
    raise exception 'the database lacks triggers, so that changes pass unnoticed: %', missing using errcode = '55R02';
  end if;
  insert into database_run default values on conflict do nothing;
  restarted := found;
  update change_log
  set tracking = change_tracking(), interrupted_at = now_ms(),
    -- Whatever was assigned before now.
    forgotten = (pg_snapshot_xmax(pg_current_snapshot())::text::numeric - 1)::text::xid8
  where restarted or tracking is distinct from change_tracking();
end $$;
`);
  }
}

/** By table: the triggers left by the migrations before this one. */
const TRIGGERS = {
  access_days: 'access_days_quarter',
  access_records: 'access_records_copied',
  api_keys: 'api_keys_access_changed api_keys_access_deleted api_keys_access_truncated key_changed key_deleted',
  brief_limits: 'brief_limits_fixed brief_limits_logged',
  categories: 'categories_changed categories_rescored',
  changes: 'changes_deleted changes_fixed',
  collections: 'collections_register collections_remember_deleted collections_updated',
  documents: `
    documents_deleted documents_inserted documents_register documents_remember_deleted
    documents_rescored_deleted documents_rescored_inserted documents_rescored_updated documents_stamp
    documents_updated`,
  erased_subjects: 'erased_subjects_told',
  firm_invitations: `
    firm_invitations_access_changed firm_invitations_access_deleted firm_invitations_access_truncated`,
  firms: 'firm_changed firms_access_changed firms_access_deleted firms_access_truncated',
  grant_events: 'grant_events_ledger grant_events_recorded grant_events_tell',
  grants: `
    grant_changed grants_access_changed grants_access_deleted grants_access_truncated grants_register
    grants_stamp`,
  item_changes: 'changes_deleted changes_fixed',
  item_collections: `
    item_collections_added item_collections_fixed item_collections_lock item_collections_register
    item_collections_removed`,
  item_completeness: `
    item_completeness_logged_delete item_completeness_logged_insert item_completeness_logged_update`,
  items: `
    items_counted_deleted items_counted_inserted items_counted_updated items_deleted items_deleting
    items_inserted items_keep_numbers items_register items_remember_deleted items_rescored_inserted
    items_rescored_updated items_stamp items_truncated items_uncounted items_updated`,
  key_events: 'key_events_ledger key_events_recorded',
  limit_shadows: 'limit_shadows_fixed limit_shadows_logged',
  plant_tokens: 'plant_tokens_access_changed plant_tokens_access_deleted plant_tokens_access_truncated',
  portal_accounts: `
    portal_accounts_access_changed portal_accounts_access_deleted portal_accounts_access_truncated
    portal_accounts_epoch portal_accounts_tell_email portal_accounts_tell_off portal_accounts_tell_on`,
  portal_credentials: `
    portal_credentials_access_changed portal_credentials_access_deleted
    portal_credentials_access_truncated portal_credentials_epoch portal_credentials_epoch_first
    portal_credentials_epoch_last portal_credentials_tell portal_credentials_tell_first`,
  portal_passkeys: `
    portal_passkeys_access_changed portal_passkeys_access_deleted portal_passkeys_access_truncated
    portal_passkeys_tell_added portal_passkeys_tell_removed`,
  portal_second_factors: `
    portal_second_factors_access_changed portal_second_factors_access_deleted
    portal_second_factors_access_truncated portal_second_factors_tell`,
  portal_sessions: `
    portal_sessions_access_changed portal_sessions_access_deleted portal_sessions_access_truncated
    portal_sessions_end portal_sessions_epoch portal_sessions_tell`,
  portal_verifications: `
    portal_verifications_access_changed portal_verifications_access_deleted
    portal_verifications_access_truncated portal_verifications_epoch`,
  portfolio_totals: 'portfolio_totals_logged_delete portfolio_totals_logged_insert portfolio_totals_logged_update',
  removals: 'removals_deleted removals_fixed',
  revocations: 'revocations_fixed revocations_told',
  service_tokens: 'service_tokens_access_changed service_tokens_access_deleted service_tokens_access_truncated',
  share_links: 'share_links_deleted share_links_inserted share_links_register share_links_updated',
  users: `
    user_changed users_access_changed users_access_deleted users_access_narrowed users_access_truncated
    users_address_changed users_address_given users_currency_changed users_erased users_firm_role
    users_tell_email`,
  valuations: `
    valuations_deleted valuations_inserted valuations_register valuations_remember_deleted
    valuations_updated`,
};
