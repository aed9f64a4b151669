// Representative rows for the state after each migration. In SQL, because product code knows the newest state only.

/** An id: a prefix and 26 characters. */
const id = (prefix: string, name: string) => `${prefix}_${name.toUpperCase().padStart(26, '0')}`;
const AT = "'2024-03-01T10:00:00.123Z'";
const ALL = '{"type": "all"}';

const firm = id('frm', '1');
const [client, other, member] = [id('usr', '1'), id('usr', '2'), id('usr', '3')];
const [key, successor, revoked] = [id('key', '1'), id('key', '2'), id('key', '3')];
const [watch, coin, gone] = [id('itm', '1'), id('itm', '2'), id('itm', '3')];
const registry = (number: number) => `PTC-WT-${String(number).padStart(26, '0')}`;

const keyRow = (keyId: string, byte: number, scopes: number, more: string) =>
  `('${keyId}', '${key}', '${firm}', 'Key', 'sandbox', ${scopes}, decode(repeat('0${byte}', 32), 'hex'), 'sk_test', 'abcd', 'operator:x', ${AT}, ${more})`;

/** Number, client, status, scopes (bits), filter, and the times of activation, expiry and end. */
const GRANTS: [number, string, string, number, string, string[]][] = [
  [1, client, 'active', 127, ALL, [AT, 'null', 'null']],
  [2, other, 'active', 5, `{"type": "items", "items": ["${registry(1)}"]}`, [AT, "'2024-06-01T00:00:00Z'", 'null']],
  [3, client, 'revoked', 66, '{"type": "category", "categories": ["WT", "AR"]}', [AT, 'null', AT]],
  [4, other, 'expired', 8, ALL, [AT, "'2024-05-01T00:00:00Z'", "'2024-05-01T00:00:00Z'"]],
  [5, client, 'pending', 16, `{"type": "collection", "collection": "${id('col', '1')}"}`, ['null', 'null', 'null']],
  [6, client, 'declined', 32, ALL, ['null', 'null', AT]],
  [7, other, 'withdrawn', 64, ALL, ['null', 'null', AT]],
];

const GRANT_ROWS = `
insert into grants (id, lineage_id, client_id, status, scopes, filter, purpose, created_at, updated_at, activated_at,
    view_changed_at, expires_at, ended_at) values
  ${GRANTS.map(([number, ofClient, status, scopes, filter, [activated, expires, ended]]) => {
    return `('${id('grt', String(number))}', '${key}', '${ofClient}', '${status}', ${scopes}, '${filter}', 'Purpose ${number}', ${AT}, ${AT}, ${activated}, ${activated}, ${expires}, ${ended})`;
  }).join(',\n  ')};`;

const record = (number: number, ofClient: string, status: number) =>
  `('${id('req', String(number))}', '2024-04-0${number}T12:00:00Z', '${firm}', '${key}', '${ofClient}', 'GET /api/v1/assets', 5, ${status})`;

const RECORDS = [record(1, client, 200), record(2, client, 304), record(3, id('usr', '9'), 403)].join(',\n');
const RECORD_COLUMNS = 'request_id, at, firm_id, key_id, client_id, endpoint, scopes, status';

const SESSION = `
insert into portal_sessions (id, account_id, session_token, acting_user_id, expires_at, created_at, updated_at)
  values ('${id('pse', '1')}', '${id('pac', '1')}', 'token', '${client}', '2024-03-02T00:00:00Z', ${AT}, ${AT});`;
const PASSWORD = `
insert into portal_credentials (id, account_id, provider, subject, password_hash, created_at, updated_at)
  values ('${id('pcr', '1')}', '${id('pac', '1')}', 'credential', '${id('pac', '1')}', 'hash', ${AT}, ${AT});`;

export interface MigrationRows {
  /** The migration after which these rows can exist. */
  after: string;
  /** Before this one the rows are written as `text`, from then on as `since`. */
  until?: { migration: string; since: string };
  text: string;
}

export const MIGRATION_ROWS: readonly MigrationRows[] = [
  {
    after: 'Migration0001Reference',
    text: `
insert into deployment (platform_prefix) values ('PTC') on conflict do nothing;
insert into categories (code, name, field_schema, recommended_documents)
  values ('ZZ', 'Own', '{"type": "object", "properties": {}}', '{appraisal_report,other}');`,
  },
  {
    after: 'Migration0002Accounts',
    text: `
insert into firms (id, name, plan, plan_active, tier, created_at, updated_at)
  values ('${firm}', 'Firm', 'enterprise', true, 'elevated', ${AT}, ${AT});
insert into users (id, email, name, role, firm_id, environment, reporting_currency, populated_at, created_at, updated_at) values
  ('${client}', 'Client@Example.com', 'Client', 'client', null, 'sandbox', 'USD', ${AT}, ${AT}, ${AT}),
  ('${other}', 'other@example.com', 'Other', 'client', null, 'sandbox', 'EUR', ${AT}, ${AT}, ${AT}),
  ('${member}', 'member@example.com', 'Member', 'firm_member', '${firm}', null, null, null, ${AT}, ${AT});
insert into api_keys (id, lineage_id, firm_id, name, environment, scopes, secret_hash, secret_prefix, secret_last_four,
    created_by, created_at, tier_override, expires_at, revoked_at, revoked_by) values
  ${keyRow(key, 1, 127, `null, '2024-03-02T00:00:00Z', null, null`)},
  ${keyRow(successor, 2, 127, `'enterprise', null, null, null`)},
  ${keyRow(revoked, 3, 3, `null, null, ${AT}, 'member:x'`).replace(`'${key}', '${firm}'`, `'${revoked}', '${firm}'`)};
update api_keys set rotated_to = '${successor}' where id = '${key}';
insert into key_events (key_id, at, actor, action, details) values
  ('${key}', ${AT}, 'operator:x', 'create', '{}'), ('${key}', ${AT}, 'firm_member:${member}', 'rotate', '{"to": "x"}');`,
  },
  {
    after: 'Migration0002Accounts',
    text: GRANT_ROWS,
  },
  {
    after: 'Migration0002Accounts',
    text: `
insert into grant_events (grant_id, at, actor, action, details)
  values ('${id('grt', '1')}', ${AT}, 'client:${client}', 'grant', '{"scopes": ["registry"], "filter": ${ALL}}');
insert into service_tokens (id, role, token_hash, created_at)
  values ('${id('svt', '1')}', 'support', decode(repeat('04', 32), 'hex'), ${AT});
insert into plant_accounts (id, created_at) values ('garden', ${AT});
insert into plant_tokens (id, account_id, token_hash, created_at)
  values ('${id('plt', '1')}', 'garden', decode(repeat('05', 32), 'hex'), ${AT});
insert into plants (account_id, id, name, tag, created_at)
  values ('garden', 9007199254740993, 'Fern', null, ${AT}), ('garden', 1, 'Moss', 'green', ${AT});`,
  },
  {
    after: 'Migration0002Accounts',
    text: `insert into access_records (${RECORD_COLUMNS}) values ${RECORDS};`,
    // From this migration on, calls were saved with `related` and with the counts of their day.
    until: {
      migration: 'Migration0006AccessActivity',
      since: `
insert into access_records (${RECORD_COLUMNS}, related)
  select request_id, at::timestamptz, firm_id, key_id, client_id, endpoint, scopes, status, client_id <> '${id('usr', '9')}' from (values ${RECORDS}) r (${RECORD_COLUMNS});
insert into access_days (firm_id, key_id, day, endpoint, status, error_code, calls)
  values ('${firm}', '${key}', '2024-04-01', 'GET /api/v1/assets', 200, '', 1),
    ('${firm}', '${key}', '2024-04-02', 'GET /api/v1/assets', 304, '', 1);`,
    },
  },
  {
    after: 'Migration0003Portfolio',
    // Without populated_at, so that the items keep the given times.
    text: `
update users set populated_at = null where populated_at is not null;
insert into items (id, registry_id, client_id, category, title, quantity, market_value, market_value_as_of, purchase_amount,
    purchase_currency, heirs, internal_notes, created_at, updated_at) values
  ('${watch}', '${registry(1)}', '${client}', 'WT', 'Watch', 1, 1200.50, ${AT}, 1000.00, 'CHF', '[{"name": "Heir"}]', 'P0', ${AT}, ${AT}),
  ('${coin}', '${registry(2)}', '${client}', 'ZZ', 'Coin', 2.5, null, null, null, null, '[]', null, ${AT}, ${AT}),
  ('${gone}', '${registry(3)}', '${other}', 'WT', 'Sold', 1, 7, null, null, null, '[]', null, ${AT}, ${AT});
update users set populated_at = ${AT} where id in ('${client}', '${other}');
insert into collections (id, client_id, name, created_at, updated_at)
  values ('${id('col', '1')}', '${client}', 'Best', ${AT}, ${AT});
insert into item_collections (item_id, collection_id) values ('${watch}', '${id('col', '1')}');
insert into share_links (id, item_id, label, token, created_at, expires_at)
  values ('${id('shl', '1')}', '${watch}', 'Appraiser', 'secret', ${AT}, '2024-04-01T00:00:00Z');
insert into valuations (id, item_id, source, amount, currency, valued_at, created_at)
  values ('${id('val', '1')}', '${watch}', 'appraisal', 1200.50, 'USD', ${AT}, ${AT});
insert into documents (id, item_id, type, title, expires_on, file_size, file_path, created_at, updated_at) values
  ('${id('doc', '1')}', '${coin}', 'appraisal_report', 'Report', null, 10, '/p0', ${AT}, ${AT}),
  ('${id('doc', '2')}', '${coin}', 'other', 'Ended', '2024-04-01', 10, null, ${AT}, ${AT});
insert into deleted_ids (id, deleted_at) values ('${id('itm', '8')}', ${AT});`,
  },
  {
    after: 'Migration0004ChangeTracking',
    text: `
update items set title = 'Wristwatch', market_value = 1300 where id = '${watch}';
delete from items where id = '${gone}';`,
  },
  {
    after: 'Migration0005PortalAccounts',
    text: `
insert into users (id, email, name, role, created_at, updated_at)
  values ('${id('usr', '4')}', 'ops@example.com', 'Ops', 'ops', ${AT}, ${AT});
insert into portal_accounts (id, email, name, created_at, updated_at)
  values ('${id('pac', '1')}', 'client@example.com', 'Client', ${AT}, ${AT});
insert into portal_second_factors (id, account_id, totp_secret, recovery_codes)
  values ('${id('psf', '1')}', '${id('pac', '1')}', 'sealed', 'sealed');`,
  },
  {
    after: 'Migration0005PortalAccounts',
    // From this migration on, a new password raises the session epoch, which ends existing sessions.
    until: {
      migration: 'Migration0043SessionEpochs',
      since: `${PASSWORD}
update portal_accounts set session_epoch = 0 where id = '${id('pac', '1')}';${SESSION}`,
    },
    text: SESSION + PASSWORD,
  },
  {
    after: 'Migration0006AccessActivity',
    text: `
insert into access_records (${RECORD_COLUMNS}, error_code)
  values ${record(4, client, 403).slice(0, -1)}, 'insufficient_scope');
insert into access_days (firm_id, key_id, day, endpoint, status, error_code, calls)
  values ('${firm}', '${key}', '2024-04-04', 'GET /api/v1/assets', 403, 'insufficient_scope', 1);`,
  },
  {
    after: 'Migration0016Privacy',
    text: `
insert into grants (id, lineage_id, client_id, addressee, untold, status, scopes, filter, created_at, updated_at) values
  ('${id('grt', '8')}', '${key}', null, 'Nobody@example.com', false, 'pending', 1, '${ALL}', ${AT}, ${AT}),
  ('${id('grt', '9')}', '${key}', '${client}', 'somebody@example.com', true, 'declined', 1, '${ALL}', ${AT}, ${AT});
insert into portal_used_codes (account_id, used_code, used_at) values ('${id('pac', '1')}', '123456', ${AT});
insert into allowances (subject, taken, forget_after) values ('reset:x', array[${AT}::timestamptz], ${AT});`,
  },
  {
    after: 'Migration0027AccessPartitionsFilled',
    text: `
insert into access_origins (hash, seen, address, user_agent)
  values ('00000000-0000-0000-0000-000000000001', '2024-04-05', '192.0.2.1', 'curl');
insert into access_shapes (hash, seen, endpoint, scopes, error_code, param, message)
  values ('00000000-0000-0000-0000-000000000002', '2024-04-05', 'GET *', 0, 'route_not_found', null, 'There is nothing.');
select add_access_month('firm_refusals', '2024-04-01');
insert into firm_refusals (at, id, key, shape, origin, took_us, status, path)
  select '2024-04-05T12:00:00Z', request_uuid('${id('req', '9')}'), k.number, s.number, o.number, 900, 404, '/nothing'
  from access_keys k, access_shapes s, access_origins o where s.endpoint = 'GET *';
insert into access_writers (writer, batch, saved_at) values ('00000000-0000-0000-0000-000000000003', 7, ${AT});
insert into stranger_days (day, error_code, calls) values ('2024-04-05', 'invalid_api_key', 3);`,
  },
  {
    after: 'Migration0020Shadow',
    text: `
insert into limit_shadows (tier, lineage_id, shadowed, at, actor, reason) values
  ('elevated', null, true, ${AT}, 'operator:x', 'New limits'), ('elevated', null, false, ${AT}, 'operator:x', 'Over'),
  (null, '${key}', true, ${AT}, 'operator:x', 'A trial');`,
  },
  {
    after: 'Migration0022Notifications',
    text: `insert into muted_topics (user_id, topic, muted_at) values ('${client}', 'ending', ${AT});`,
  },
  {
    after: 'Migration0023FirmLimitEvents',
    text: `
insert into firm_events (firm_id, at, actor, action, details)
  values ('${firm}', ${AT}, 'operator:x', 'limit', '{"limit": 500}');`,
  },
  {
    after: 'Migration0024SigningKeys',
    text: `
insert into signing_keys (id, public_key, private_key, created_at, retired_at) values
  ('first', '{"kty": "OKP"}', null, ${AT}, ${AT}), ('second', '{"kty": "OKP"}', '{"kty": "OKP"}', ${AT}, null);`,
  },
  {
    after: 'Migration0026Overrides',
    text: `
insert into brief_limits (lineage_id, tier, ends_at, at) values ('${key}', 'elevated', ${AT}, ${AT});
insert into limit_sums values (60, ${AT}, '${key}', 'standard', 10, 2, 1, 0);
insert into gateway_processes (id, seen_at, started_at, host, limiter, limiter_since, records_waiting, replicas_away)
  values ('a', ${AT}, ${AT}, 'host', 'redis', ${AT}, 0, 0);`,
  },
  {
    after: 'Migration0030TeamsFilled',
    text: `
insert into firm_invitations (id, firm_id, email, name, role, invited_by, link_hash, created_at, expires_at, ended_at, outcome) values
  ('${id('inv', '1')}', '${firm}', 'new@example.com', 'New', 'auditor', 'firm_member:${member}', null, ${AT}, ${AT}, null, null),
  ('${id('inv', '2')}', '${firm}', 'gone@example.com', 'Gone', 'developer', 'firm_member:${member}',
    decode(repeat('06', 32), 'hex'), ${AT}, ${AT}, ${AT}, 'withdrawn');
insert into portal_passkeys (id, account_id, name, credential_id, public_key, created_at)
  values ('${id('psk', '1')}', '${id('pac', '1')}', 'Telephone', 'credential', decode('07', 'hex'), ${AT});
insert into account_events (account_id, at, actor, action, details)
  values ('${id('pac', '1')}', ${AT}, 'operator:x', 'factor_reset', '{"reason": "Lost"}');`,
  },
  {
    after: 'Migration0033FirmIdentities',
    text: `
insert into firm_identities (firm_id, address, website, email, phone, updated_at)
  values ('${firm}', '1 High Street', 'https://firm.example.com/', null, null, ${AT});
insert into firm_events (firm_id, at, actor, action, details) values ('${firm}', ${AT}, 'firm_member:${member}', 'identity',
  '{"address": "1 High Street", "website": "https://firm.example.com/", "email": null, "phone": null}');
insert into person_zones (user_id, zone, noted_at) values ('${client}', 'Europe/Zurich', ${AT});`,
  },
  {
    after: 'Migration0034Ledger',
    text: `
insert into ledger (origin, size, root, checkpoint, appended_at) values ('log', 2, decode(repeat('01', 32), 'hex'), 'note', ${AT});
insert into ledger_pending (subjects, digests) values (array['${client}'], decode(repeat('02', 32), 'hex'));
insert into ledger_batches (number, first, entries, numbers, at) values (1, 0, 1, decode('000000000001', 'hex'), ${AT});
insert into ledger_steps (source, event, leaf, number) values ('grant_events', 1, 1, 2);
insert into ledger_subjects (subject, secret, entries) values ('${client}', decode(repeat('03', 32), 'hex'), 2), ('${other}', null, 1);
insert into ledger_bundles (index, commitments) values (0, decode(repeat('04', 64), 'hex'));
insert into ledger_tiles (level, index, hashes) values (1, 0, decode(repeat('05', 32), 'hex'));
insert into ledger_erasures (at, leaves) values (${AT}, decode('000000000007', 'hex'));`,
  },
  {
    after: 'Migration0035PersonalData',
    text: `
insert into erased_subjects (id, kind, erased_at, actor, reason, grants_end_at, finished_at, certificate) values
  ('${id('usr', '8')}', 'client', ${AT}, 'operator:x', 'Asked for it', ${AT}, ${AT}, 'jws'),
  ('${id('usr', '7')}', 'user', ${AT}, 'operator:x', 'Asked for it', null, ${AT}, null);
insert into legal_holds (user_id, reason, placed_by, placed_at, ends_at, released_at, released_by) values
  ('${client}', 'A dispute', 'operator:x', ${AT}, null, null, null),
  ('${client}', 'Another', 'operator:x', ${AT}, '2024-04-01T00:00:00Z', '2024-03-02T00:00:00Z', 'operator:x');`,
  },
  {
    after: 'Migration0037LedgerWitnesses',
    text: `
insert into ledger_witnesses (witness, size, asked_at, cosigned_at) values ('witness.example+00000000+BA==', 2, ${AT}, ${AT});
insert into ledger_publication (taken_at, checkpoint, published_at) values (${AT}, 'note', ${AT});`,
  },
  {
    after: 'Migration0038RecordArchive',
    text: `
insert into record_archive (since) values (${AT});
insert into record_archive_months (month, archived_at, removed_at) values ('2025-01-01', ${AT}, ${AT}), ('2025-02-01', ${AT}, null);`,
  },
];
