// Repositories: reads grants, and for both sides of the consent also their names and use.
import type { Actor } from '#core/actor.ts';
import { MAX_COUNTED_CALLS } from '#core/counted-calls.ts';
import type { GrantState, GrantTerms } from '#core/grant-lifecycle.ts';
import { EXPIRING_DAYS } from '#core/periods.ts';
import { type ScopeSet, scopesOf } from '#core/scopes.ts';
import { Bindings } from '#database/bindings.ts';
import type { Sql } from '#database/database.ts';
import { findRow, readRow } from '#database/rows.ts';
import { accessCondition } from '../access-condition.ts';
import type { KeyStatus } from '../keys/key-queries.ts';
import {
  GRANT_ACTIVE,
  GRANT_ENDED_AT,
  GRANT_KEY,
  GRANT_OPEN,
  GRANT_STATUS,
  GRANT_STATUS_FOR_FIRM,
  KEY_ACTIVE,
  KEY_STATUS,
  PLAN_ACTIVE,
} from '../status-sql.ts';
import type { Walk } from '../walk.ts';

export interface Grant extends GrantTerms {
  id: string;
  /** The first key of the lineage that the grant belongs to. */
  lineageId: string;
  /** The newest key of that lineage. */
  keyId: string;
  firmId: string;
  /** Null for a request that reached no client. */
  clientId: string | null;
  /** Addressee of a request as the firm wrote it; null if the client gave the grant unasked. */
  addressee: string | null;
  /** Whether the firm still sees the request as pending, which it does even after the client has declined. */
  open: boolean;
  /** `expired` as soon as the expiry has passed, even if it is not recorded yet. */
  status: GrantState;
  purpose: string | null;
  createdAt: string;
  activatedAt: string | null;
  endedAt: string | null;
  /** When activation, scopes or filter last changed what the grant shows. */
  viewChangedAt: string | null;
  updatedAt: string;
}

/** For a statement in which `g` is the grant's row and `k` that of the newest key of its lineage (see GRANT_KEY). */
export const GRANT_COLUMNS = `g.id, g.lineage_id as "lineageId", k.id as "keyId", k.firm_id as "firmId",
  g.client_id as "clientId", g.addressee, ${GRANT_OPEN} as open, g.scopes, g.filter, g.purpose,
  ${GRANT_STATUS} as status,
  g.created_at as "createdAt", g.activated_at as "activatedAt", g.expires_at as "expiresAt",
  ${GRANT_ENDED_AT} as "endedAt", g.view_changed_at as "viewChangedAt", g.updated_at as "updatedAt"`;

export interface GrantSelection {
  firmId?: string | undefined;
  clientId?: string | undefined;
  /** Any key of the lineage. */
  keyId?: string | undefined;
}

/** Newest first. */
export async function listGrants(sql: Sql, { firmId, clientId, keyId }: GrantSelection = {}): Promise<Grant[]> {
  const text = `select ${GRANT_COLUMNS} from grants g ${GRANT_KEY}
    where ($1::text is null or k.firm_id = $1) and ($2::text is null or g.client_id = $2)
      and ($3::text is null or g.lineage_id = (select lineage_id from api_keys where id = $3))
    order by g.created_at desc, g.id desc`;
  return sql.query<Grant>({ text, values: [firmId ?? null, clientId ?? null, keyId ?? null] });
}

/** A grant as one side of the consent may see it: before a client has approved, the firm learns nothing about them. */
export interface NamedGrant extends Omit<Grant, 'open' | 'lineageId' | 'viewChangedAt' | 'updatedAt'> {
  firmName: string;
  keyName: string;
  environment: string;
  keyScopes: ScopeSet;
  keyStatus: KeyStatus;
  /** Whether the API accepts the key: it is active, and so is the plan of its firm. */
  keyUsable: boolean;
  clientName: string | null;
  clientEmail: string | null;
  /** Whether it is a test client made by the firm. */
  testClient: boolean;
  expiringSoon: boolean;
  /** Time of the key's last successful call under the grant. */
  lastSeenAt: string | null;
  /** Calls in the last 30 days while the grant was active, counted up to MAX_COUNTED_CALLS and one more. */
  calls30Days: number;
  /** Newest event, as of the same moment as the terms. Firms do not see all events. */
  lastEventId: string | null;
}

export interface GrantQuery {
  /** Null for any. */
  status: readonly string[] | null;
  /** Any key of the lineage. */
  keyId: string | null;
  firmId: string | null;
  clientId: string | null;
  /** Part of the other side's name, of the client's e-mail address or of the key's name. */
  search: string | null;
  /** Only active grants that expire within EXPIRING_DAYS. */
  expiringSoon: boolean;
}

const EXPIRING = `(g.status = 'active' and g.expires_at > now_ms()
  and g.expires_at <= now_ms() + interval '${EXPIRING_DAYS} days')`;

/** Joins the client only if the actor may know them. */
const PARTY_JOINS = ({ kind }: Actor) => `${GRANT_KEY} join firms f on f.id = k.firm_id
  left join users u on u.id = g.client_id ${kind === 'firm_member' ? 'and (g.activated_at is not null or u.test_firm_id = k.firm_id)' : ''}`;

const statusFor = ({ kind }: Actor) => (kind === 'firm_member' ? GRANT_STATUS_FOR_FIRM : GRANT_STATUS);

/** Calls of the grant's lineage about its client while the grant was active. */
const CALLS = (condition: string) => `from api_keys c cross join lateral (
    select r.at from access_pairs p cross join lateral (
      select r.at from access_calls r
      where r.pair = p.number and r.at >= g.activated_at and minute_of(r.at) >= minute_of(g.activated_at)
        and (g.ended_at is null or r.at <= g.ended_at) and r.related and ${condition}) r
    where p.client_id = g.client_id and p.key_id = c.id) r
  where c.lineage_id = g.lineage_id`;

const MONTH_AGO = "now() - interval '30 days'";

const NAMED = (actor: Actor) => `
  g.id, k.id as "keyId", k.firm_id as "firmId", u.id as "clientId", ${ADDRESSEE} as addressee, g.scopes, g.filter, g.purpose,
  ${statusFor(actor)} as status, g.created_at as "createdAt", g.activated_at as "activatedAt",
  g.expires_at as "expiresAt", ${closed(GRANT_ENDED_AT, 'null', actor)} as "endedAt",
  f.name as "firmName", k.name as "keyName",
  k.environment, k.scopes as "keyScopes", ${KEY_STATUS} as "keyStatus",
  ${KEY_ACTIVE} and ${PLAN_ACTIVE} as "keyUsable",
  u.name as "clientName", u.email as "clientEmail", u.test_firm_id is not null as "testClient", coalesce(${EXPIRING}, false) as "expiringSoon",
  (select max(e.id)::text from grant_events e where e.grant_id = g.id) as "lastEventId",
  (select max(r.at) ${CALLS('r.status < 400 order by minute_of(r.at) desc, r.at desc limit 1')}) as "lastSeenAt",
  (select count(*) from (select ${CALLS(`r.at > ${MONTH_AGO} and minute_of(r.at) >= minute_of(${MONTH_AGO})`)}
    limit ${MAX_COUNTED_CALLS + 1}) counted) as "calls30Days"`;

/** Early releases stored no addressee: there, requests were addressed by the client's id. */
const ADDRESSEE = 'coalesce(g.addressee, case when g.activated_at is null then g.client_id end)';

/** Hides from a firm the values that change when a client declines. */
const closed = (column: string, before: string, { kind }: Actor) =>
  kind === 'firm_member' ? `case when ${GRANT_OPEN} then ${before} else ${column} end` : column;

/** Newest first; one row more than requested if there are more. `total` counts the whole list. */
export async function listNamedGrants(
  sql: Sql,
  actor: Actor,
  query: GrantQuery,
  walk: Walk,
): Promise<{ grants: NamedGrant[]; total: number }> {
  const bindings = new Bindings();
  const conditions = [accessibleTo(actor, bindings), ...narrowed(query, actor, bindings)].join(' and ');
  const [at, id] = walk.after ?? [];
  const after =
    at === undefined ? '' : `and (g.created_at, g.id) < (${bindings.add(at)}::timestamptz, ${bindings.add(id)})`;
  const text = `select t.total, r.* from (select count(*) as total from grants g ${PARTY_JOINS(actor)} where ${conditions}) t
    left join (
      select ${NAMED(actor)} from grants g ${PARTY_JOINS(actor)} where g.id in (
        select g.id from grants g ${PARTY_JOINS(actor)} where ${conditions} ${after}
        order by g.created_at desc, g.id desc limit ${bindings.add(walk.size + 1)})) r on true
    order by r."createdAt" desc, r.id desc`;
  const rows = await sql.query<NamedGrant & { total: number }>({ text, values: bindings.values });
  return { grants: rows.filter((row) => row.id !== null), total: rows[0]?.total ?? 0 };
}

/** Null for an unknown grant, and for one that the actor may not access. */
export async function findNamedGrant(sql: Sql, actor: Actor, id: string): Promise<NamedGrant | null> {
  const bindings = new Bindings();
  const text = `select ${NAMED(actor)} from grants g ${PARTY_JOINS(actor)}
    where ${accessibleTo(actor, bindings)} and g.id = ${bindings.add(id)}`;
  return findRow<NamedGrant>(sql, { text, values: bindings.values });
}

export interface GrantCounts {
  pending: number;
  active: number;
  expiringSoon: number;
  ended: number;
}

export async function countGrants(sql: Sql, actor: Actor): Promise<GrantCounts> {
  const bindings = new Bindings();
  const text = `select count(*) filter (where ${statusFor(actor)} = 'pending') as pending, count(*) filter (where ${GRANT_ACTIVE}) as active,
      count(*) filter (where ${EXPIRING}) as "expiringSoon",
      count(*) filter (where ${statusFor(actor)} <> 'pending' and not ${GRANT_ACTIVE}) as ended
    from grants g ${GRANT_KEY} where ${accessibleTo(actor, bindings)}`;
  return readRow<GrantCounts>(sql, { text, values: bindings.values });
}

function accessibleTo({ kind, id }: Actor, bindings: Bindings): string {
  const [actorKind, actorId] = [bindings.add(kind), bindings.add(id)];
  return accessCondition({ actorKind, actorId, firm: 'k.firm_id', client: 'g.client_id' });
}

function narrowed(
  { status, keyId, firmId, clientId, search, expiringSoon }: GrantQuery,
  actor: Actor,
  bindings: Bindings,
): string[] {
  const conditions: string[] = [];
  if (status !== null) conditions.push(`${statusFor(actor)} = any(${bindings.add(status)}::text[])`);
  if (firmId !== null) conditions.push(`k.firm_id = ${bindings.add(firmId)}`);
  // `u` is joined only for clients that the actor may know.
  if (clientId !== null) conditions.push(`u.id = ${bindings.add(clientId)}`);
  if (keyId !== null)
    conditions.push(`g.lineage_id = (select lineage_id from api_keys where id = ${bindings.add(keyId)})`);
  if (expiringSoon) conditions.push(EXPIRING);
  if (search !== null) {
    const part = `lower(${bindings.add(search)})`;
    const texts = ['u.name', 'u.email', 'g.addressee', 'f.name', 'k.name'];
    conditions.push(`(${texts.map((text) => `strpos(lower(${text}), ${part}) > 0`).join(' or ')})`);
  }
  return conditions;
}

/** JSON for the command line and the export of a client: from addressee to end; times are ISO 8601 in UTC. */
export const grantTermsJson = (grant: Grant | NamedGrant) => ({
  addressee: grant.addressee,
  status: grant.status,
  scopes: scopesOf(grant.scopes),
  filter: grant.filter,
  purpose: grant.purpose,
  created_at: grant.createdAt,
  activated_at: grant.activatedAt,
  expires_at: grant.expiresAt,
  ended_at: grant.endedAt,
});
