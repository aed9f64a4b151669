// Repositories: acts that revoked access (Migration0017): read for the journal, and repeated in a restored database
// that lacks them. Repeating only removes access and never gives any, so it may be done twice.
import { INVITATION_DAYS } from '#core/periods.ts';
import { SCOPE_BITS } from '#core/scopes.ts';
import { DAY_MS } from '#core/timestamps.ts';
import type { Sql } from '#database/database.ts';
import type { Revocation } from '#database/revocation-journal.ts';
import { readColumn, readValue } from '#database/rows.ts';
import { wireTime } from '#database/wire-types.ts';
import { endGrants } from './grants/grant-end.ts';
import { GRANT_ACTIVE } from './status-sql.ts';

/** How long a session lasts (Migration0005). */
const SESSION_DAYS = 7;
/** Sessions and links, which expire by themselves within BRIEF_DAYS. */
const BRIEF = ['portal_sessions', 'portal_verifications'];
const BRIEF_DAYS = Math.max(SESSION_DAYS, INVITATION_DAYS) + 1;

/** Acts from the row `from` on, and earlier `missing` ones, which open transactions had not committed before. */
export function listRevocations(
  sql: Sql,
  { from, missing = [] }: { from: number; missing?: readonly number[] },
): Promise<Revocation[]> {
  const columns = 'id, seq, at, table_name, row_id, changed, terms';
  const text = `select ${columns} from revocations where seq >= $1 or seq = any($2::bigint[]) order by seq`;
  return sql.query<Revocation>({ text, values: [from, missing] });
}

/**
 * Deletes acts that can no longer matter to a restored database, but never the newest act: without it the database
 * would seem to have been set back (JournalFollower).
 */
export async function forgetRevocations(sql: Sql): Promise<void> {
  const text = `delete from revocations where table_name = any($1) and at < now() - interval '${BRIEF_DAYS + 1} days'
    and seq < (select max(seq) from revocations)`;
  await sql.query({ text, values: [BRIEF] });
}

/**
 * Acts that the database does not know, each once, in the order in which they were made, since acts by hand are in the
 * file some seconds late.
 */
export async function unknownRevocations(sql: Sql, revocations: readonly Revocation[]): Promise<Revocation[]> {
  const since = new Date(Date.now() - BRIEF_DAYS * DAY_MS).toISOString();
  const candidates = new Map<string, Revocation>();
  for (const one of revocations)
    if (!candidates.has(one.id) && !(BRIEF.includes(one.table_name) && one.at < since)) candidates.set(one.id, one);
  const text = `select asked.id from unnest($1::uuid[]) asked (id)
    where not exists (select from revocations r where r.id = asked.id)`;
  const unknown = new Set(await readColumn<string>(sql, { text, values: [[...candidates.keys()]] }));
  const madeAt = ({ at }: Revocation) => Date.parse(at);
  return [...candidates.values()]
    .filter(({ id }) => unknown.has(id))
    .sort((one, other) => madeAt(one) - madeAt(other) || one.seq - other.seq);
}

/** Within this time every running gateway has written the acts of others. */
const FOLLOWED = '1 hour';

/**
 * Whether the database knows of acts that a journal with these lines lacks, but should have: then lines were removed
 * from it, and others may be missing as well.
 */
export function isCut(sql: Sql, revocations: readonly Revocation[]): Promise<boolean> {
  const text = `select exists (select from revocations r
    where table_name <> all($1) and at < (select max(at) from revocations) - interval '${FOLLOWED}'
      and not exists (select from unnest($2::uuid[]) known where known = r.id)) as cut`;
  return readValue(sql, { text, values: [BRIEF, revocations.map(({ id }) => id)] });
}

/** Revokes again what each act revoked, and records the act. */
export async function repeatRevocations(sql: Sql, revocations: readonly Revocation[]): Promise<void> {
  const silent = await silentColumns(sql);
  for (const one of revocations) {
    const statements = REPEAT[one.table_name];
    if (statements === undefined) throw new Error(`the revocation journal names the table ${one.table_name}`);
    const known = [...(NARROWING[one.table_name] ?? []), ...(silent.get(one.table_name) ?? [])];
    const ends = one.changed?.every((column) => known.includes(column)) !== true;
    const values = [one.row_id, ends, JSON.stringify({ ...one.terms, changed: one.changed ?? [] })];
    for (const text of statements)
      await sql.query({
        text: `with act as (select $1::text as row_id, $2::boolean as ends, $3::jsonb as terms) ${text}`,
        values,
      });
    await sql.query({
      text: `insert into revocations (id, at, table_name, row_id, changed, terms) values ($1, $2, $3, $4, $5, $6)
        on conflict (id) do nothing`,
      values: [one.id, one.at, one.table_name, one.row_id, one.changed, JSON.stringify(one.terms)],
    });
  }
}

/** Columns by table that give no access, as listed in the table's trigger. */
async function silentColumns(sql: Sql): Promise<Map<string, string[]>> {
  const text = `select tgrelid::regclass::text as table,
      (regexp_match(pg_get_triggerdef(oid), '''({[a-z_,]+})'''))[1]::text[] as columns
    from pg_trigger where tgname like '%\\_access\\_changed'`;
  const rows = await sql.query<{ table: string; columns: string[] }>({ text });
  return new Map(rows.map(({ table, columns }) => [table, columns]));
}

/** Erasures are repeated by the caller, since they take more than statements. */
export const ERASURES = 'erased_subjects';

/**
 * Columns whose change reduces the access. A change of any other column that is not silent ends all access of the row.
 */
const NARROWING: Record<string, string[]> = {
  api_keys: ['revoked_at', 'expires_at', 'scopes', 'allowed_networks'],
  grants: ['status', 'scopes', 'filter', 'expires_at'],
  firms: ['plan', 'plan_active'],
  users: ['email', 'firm_role', 'removed_at'],
  firm_invitations: ['outcome', 'ended_at'],
  service_tokens: ['revoked_at', 'expires_at'],
  plant_tokens: ['revoked_at', 'expires_at'],
};

const ACTOR = `'system:restore'`;
const EXPIRES = `(terms ->> 'expires_at')::timestamptz`;

/** Names of scopes in the form of events (recordedTerms in grants/grant-terms.ts). */
const scopeNames = (set: string) =>
  `(select jsonb_agg(name order by bit) from (values ${Object.entries(SCOPE_BITS)
    .map(([name, bit]) => `('${name}', ${bit})`)
    .join(', ')}) as known (name, bit) where ${set} & bit <> 0)`;

/**
 * Ends grants. An expired grant gives no access; it becomes revoked only if the act says so, with an end no later than
 * its expiry.
 */
const repeatedEnd = (which: string) =>
  `, ${endGrants({
    ...{ from: 'act', actor: ACTOR, pending: 'withdrawn' },
    where: `(g.status = 'pending' or ${GRANT_ACTIVE} or g.status = 'active' and terms ->> 'status' = 'revoked') and (${which})`,
  })}
  select from ended`;

const tokens = (table: string) => [
  `update ${table} t set expires_at = least(t.expires_at, ${EXPIRES}),
    revoked_at = case when ends or terms ->> 'revoked_at' is not null then coalesce(t.revoked_at, now_ms()) else t.revoked_at end
  from act where t.id = row_id`,
];

/** Afterwards the person sets a new password, by a link to their address. */
const resetAccount = (account: string) => [
  `delete from portal_sessions where account_id = ${account}`,
  `delete from portal_verifications where held_value = ${account}`,
  `delete from portal_credentials where account_id = ${account} and password_hash is not null`,
];
/** A second factor that is not the most recent one proves nothing. */
const resetFactor = (account: string) => [
  `update portal_accounts set two_factor_enabled = false where id = ${account} and two_factor_enabled`,
  `delete from portal_second_factors where account_id = ${account}`,
];
const accountOf = (table: string) => `(select account_id from ${table}, act where id = row_id)`;

const REPEAT: Record<string, string[]> = {
  [ERASURES]: [],
  api_keys: [
    `, judged as (
      select k.id, k.revoked_at, k.scopes & coalesce((terms ->> 'scopes')::smallint, k.scopes) as scopes,
        ends or terms ->> 'revoked_at' is not null as ends
      from act join api_keys k on k.id = row_id),
    changed as (
      update api_keys k set expires_at = least(k.expires_at, ${EXPIRES}),
        scopes = case j.scopes when 0 then k.scopes else j.scopes end,
        allowed_networks = case when terms -> 'changed' ? 'allowed_networks' and terms -> 'allowed_networks' <> '[]'
          then array(select n::cidr from jsonb_array_elements_text(terms -> 'allowed_networks') n)
          else k.allowed_networks end,
        revoked_at = case when j.ends or j.scopes = 0 then coalesce(k.revoked_at, now_ms()) else k.revoked_at end,
        revoked_by = case when j.ends or j.scopes = 0 then coalesce(k.revoked_by, ${ACTOR}) else k.revoked_by end
      from judged j, act where k.id = j.id returning k.id, j.revoked_at is null and k.revoked_at is not null as ended)
    insert into key_events (key_id, actor, action) select id, ${ACTOR}, 'revoke' from changed where ended`,
  ],
  grants: [
    // A pending request is left unchanged, so that whoever approves it sees the requested terms. A filter at least as
    // wide as the present one is not applied.
    `, held as (
      select g.id, g.scopes, g.filter, g.expires_at from act join grants g on g.id = row_id
      where g.status = 'active' and not ends for no key update of g),
    narrowed as (
      select id, least(expires_at, ${EXPIRES}) as expires_at,
        case scopes & coalesce((terms ->> 'scopes')::smallint, scopes)
          when 0 then scopes else scopes & coalesce((terms ->> 'scopes')::smallint, scopes) end as scopes,
        case when terms -> 'changed' ? 'filter' and terms -> 'filter' ->> 'type' <> 'all' and not filter <@ (terms -> 'filter')
          then terms -> 'filter' else filter end as filter
      from act, held),
    changed as (
      update grants g set expires_at = n.expires_at, scopes = n.scopes, filter = n.filter from narrowed n, held h
      where g.id = n.id and h.id = n.id and (n.expires_at, n.scopes, n.filter) is distinct from (h.expires_at, h.scopes, h.filter)
      returning g.id, jsonb_strip_nulls(jsonb_build_object(
        'scopes', case when n.scopes <> h.scopes then ${scopeNames('n.scopes')} end,
        'filter', case when n.filter <> h.filter then n.filter end,
        'expires_at', case when n.expires_at is distinct from h.expires_at then ${wireTime('n.expires_at')} end)) as details)
    insert into grant_events (grant_id, actor, action, details) select id, ${ACTOR}, 'change', details from changed`,
    // The firm goes on seeing a declined request as pending.
    `, ${endGrants({
      ...{ from: 'act', actor: ACTOR, pending: 'declined' },
      where: `g.id = row_id and g.status = 'pending' and terms ->> 'status' = 'declined'`,
    })}
    select from ended`,
    repeatedEnd(`g.id = row_id and (ends or coalesce(terms ->> 'status', 'active') not in ('active', 'pending')
      or g.scopes & coalesce((terms ->> 'scopes')::smallint, g.scopes) = 0)`),
  ],
  firms: [
    `update firms f set plan_active = false from act
    where f.id = row_id and (ends or terms ->> 'plan' <> 'enterprise' or terms ->> 'plan_active' <> 'true')`,
  ],
  // People sign in by their address. The next import restores the platform's address.
  users: [
    `update users u set email = u.id || '@revoked.invalid' from act
    where u.id = row_id and (ends or terms -> 'changed' ? 'email')`,
    // The member's role after the act, or a lower present one.
    `update users u set removed_at = coalesce(u.removed_at, (terms ->> 'removed_at')::timestamptz),
      firm_role = case when terms -> 'changed' ? 'firm_role'
          and (u.firm_role = 'administrator' or terms ->> 'firm_role' = 'auditor')
        then coalesce(terms ->> 'firm_role', u.firm_role) else u.firm_role end
    from act where u.id = row_id and u.role = 'firm_member'`,
    repeatedEnd('g.client_id = row_id and ends'),
  ],
  firm_invitations: [
    `update firm_invitations i set outcome = 'withdrawn', ended_at = now_ms() from act where i.id = row_id and i.ended_at is null`,
  ],
  service_tokens: tokens('service_tokens'),
  plant_tokens: tokens('plant_tokens'),
  portal_accounts: [
    ...resetAccount('(select row_id from act)'),
    ...resetFactor('(select row_id from act)'),
    'delete from portal_accounts where id = (select row_id from act where ends and terms -> $$changed$$ = $$[]$$)',
  ],
  portal_credentials: [
    ...resetAccount(accountOf('portal_credentials')),
    'delete from portal_credentials where id = (select row_id from act)',
  ],
  portal_second_factors: [
    ...resetAccount(accountOf('portal_second_factors')),
    ...resetFactor(accountOf('portal_second_factors')),
  ],
  portal_passkeys: ['delete from portal_passkeys where id = (select row_id from act)'],
  portal_sessions: ['delete from portal_sessions where id = (select row_id from act)'],
  portal_verifications: ['delete from portal_verifications where id = (select row_id from act)'],
};
