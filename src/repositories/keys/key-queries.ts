// Repositories: reads API keys: never the hash, but always the tier and the state derived from the columns.
import type { Actor } from '#core/actor.ts';
import { refuse } from '#core/errors.ts';
import type { Environment } from '#core/principal.ts';
import type { ScopeSet } from '#core/scopes.ts';
import type { Shadow, Tier } from '#core/tiers.ts';
import type { Sql } from '#database/database.ts';
import { findRow } from '#database/rows.ts';
import { accessCondition } from '../access-condition.ts';
import { type NamedActor, namedActor } from '../accounts/actor-names.ts';
import {
  FIRM_LIMIT,
  GRANT_ACTIVE,
  GRANT_OPEN,
  KEY_SHADOW,
  KEY_STATUS,
  KEY_TIER,
  KEY_TIER_ENDS,
  KEY_TIER_OVERRIDE,
} from '../status-sql.ts';

export type KeyStatus = 'active' | 'expired' | 'revoked';

export interface ApiKey {
  id: string;
  /** The first key of the lineage, to which grants and the rate limit belong. */
  lineageId: string;
  firmId: string;
  name: string;
  /** Visible to the firm's members only; null if there is none. */
  note: string | null;
  environment: Environment;
  scopes: ScopeSet;
  /** The effective tier. */
  tier: Tier;
  tierOverride: Tier | null;
  /** When the override ends by itself. */
  tierOverrideEndsAt: string | null;
  /** Requests per 60 s of all keys of the firm together; null if there is no such limit. */
  firmLimit: number | null;
  /** Shadow mode of the key's limit; null if the limit is enforced. */
  shadow: Shadow | null;
  prefix: string;
  lastFour: string;
  status: KeyStatus;
  createdBy: string;
  createdAt: string;
  expiresAt: string | null;
  /** CIDR ranges from which it may be used, in order; empty for anywhere. */
  allowedNetworks: string[];
  lastUsedAt: string | null;
  /** The successor. The key itself works until it expires. */
  rotatedTo: string | null;
  revokedAt: string | null;
  revokedBy: string | null;
}

/** For a statement in which `k` is the key's row and `f` its firm's. */
export const KEY_COLUMNS = `k.id, k.lineage_id as "lineageId", k.firm_id as "firmId", k.name, k.note, k.environment, k.scopes,
  ${KEY_TIER} as tier,
  ${KEY_TIER_OVERRIDE} as "tierOverride", ${KEY_TIER_ENDS} as "tierOverrideEndsAt", ${FIRM_LIMIT} as "firmLimit", ${KEY_SHADOW} as shadow,
  k.secret_prefix as prefix, k.secret_last_four as "lastFour",
  ${KEY_STATUS} as status,
  k.created_by as "createdBy", k.created_at as "createdAt", k.expires_at as "expiresAt",
  k.allowed_networks::text[] as "allowedNetworks",
  k.last_used_at as "lastUsedAt", k.rotated_to as "rotatedTo", k.revoked_at as "revokedAt",
  k.revoked_by as "revokedBy"`;

export async function findKey(sql: Sql, id: string): Promise<ApiKey | null> {
  const text = `select ${KEY_COLUMNS} from api_keys k join firms f on f.id = k.firm_id where k.id = $1`;
  return findRow<ApiKey>(sql, { text, values: [id] });
}

export async function requireKey(sql: Sql, id: string): Promise<ApiKey> {
  return (await findKey(sql, id)) ?? refuse('resource_not_found', `There is no key ${id}.`);
}

/** Oldest first, of one firm or of all. */
export async function listKeys(sql: Sql, { firmId }: { firmId?: string | undefined } = {}): Promise<ApiKey[]> {
  const text = `select ${KEY_COLUMNS} from api_keys k join firms f on f.id = k.firm_id
    where $1::text is null or k.firm_id = $1 order by k.created_at, k.id`;
  return sql.query<ApiKey>({ text, values: [firmId ?? null] });
}

export interface FirmKey extends ApiKey {
  /** Creator's name; `createdBy` has the form of the record. */
  maker: NamedActor;
  revoker: NamedActor | null;
  /** Number of clients with an active grant to the lineage. */
  activeGrants: number;
  /** Number of the lineage's pending requests, as far as the firm may know. */
  pendingGrants: number;
}

const KEYS = `
select ${KEY_COLUMNS}, ${namedActor('k.created_by')} as maker, ${namedActor('k.revoked_by')} as revoker,
  (select count(*) from grants g where g.lineage_id = k.lineage_id and ${GRANT_ACTIVE}) as "activeGrants",
  (select count(*) from grants g where g.lineage_id = k.lineage_id and ${GRANT_OPEN}) as "pendingGrants"
from api_keys k join firms f on f.id = k.firm_id
where ${accessCondition({ actorKind: '$1', actorId: '$2', firm: 'k.firm_id' })}`;

/** Newest first. */
export function listFirmKeys(sql: Sql, { kind, id }: Actor): Promise<FirmKey[]> {
  return sql.query<FirmKey>({ text: `${KEYS} order by k.created_at desc, k.id desc`, values: [kind, id] });
}

/** Null for an unknown key, and for one that the actor may not access. */
export function findFirmKey(sql: Sql, keyId: string, { kind, id }: Actor): Promise<FirmKey | null> {
  return findRow(sql, { text: `${KEYS} and k.id = $3`, values: [kind, id, keyId] });
}

/** SQL: whether this event of a firm is the copy that a trigger made of the key's event (Migration0029Teams). */
export const isCopyOf = (firmEvent: string, keyEvent: string): string =>
  `${firmEvent}.source = 'key_events ' || ${keyEvent}`;

export interface NamedKeyEvent {
  keyId: string;
  at: string;
  actor: NamedActor;
  action: 'create' | 'rotate' | 'revoke' | 'tier' | 'change';
  details: Record<string, unknown>;
}

/** All events of the keys' lineages, newest first, by the given keys. */
export async function keyEvents(sql: Sql, keyIds: readonly string[]): Promise<Map<string, NamedKeyEvent[]>> {
  const text = `select k.id as asked, e.key_id as "keyId", e.at, ${namedActor('e.actor')} as actor, e.action, e.details
    from api_keys k join api_keys c on c.lineage_id = k.lineage_id join key_events e on e.key_id = c.id
    where k.id = any($1) order by e.id desc`;
  const rows = await sql.query<NamedKeyEvent & { asked: string }>({ text, values: [keyIds] });
  return Map.groupBy(rows, ({ asked }) => asked);
}

export interface KeyTraffic {
  last24Hours: number;
  last7Days: number;
  lastCallAt: string | null;
}

/** Within the index by minute: the newest call of the key `n` in this table since 7 days ago. */
const newestCall = (table: string, condition: string) => `(select r.at from ${table} r
  where r.key = n.number and ${condition} and r.at > now() - interval '7 days'
    and minute_of(r.at) >= minute_of(now() - interval '7 days')
  order by minute_of(r.at) desc, r.at desc limit 1)`;

/** Of the days `a`, all calls of the last `days`, and those of the day before from the present quarter of an hour on. */
const callsSince = (days: number) =>
  `coalesce(sum(case a.day when today - ${days} then a.calls - early.calls else a.calls end)
    filter (where a.day >= today - ${days}), 0)::float8`;

/**
 * Number of calls of the keys, by the counts of days: calls themselves are too many to count at each look. Exact to a
 * quarter of an hour.
 */
export async function keyTraffic(sql: Sql, keyIds: readonly string[]): Promise<Map<string, KeyTraffic>> {
  const text = `with clock as (
      select (now() at time zone 'UTC')::date as today,
        floor(extract(epoch from (now() at time zone 'UTC')::time) / 900)::integer as quarter)
    select k.id, counted.*,
      greatest(${newestCall('access_calls', 'r.related')}, ${newestCall('firm_refusals', 'true')}) as "lastCallAt"
    from clock cross join api_keys k left join access_keys n on n.key_id = k.id
    cross join lateral (
      select ${callsSince(1)} as "last24Hours", ${callsSince(7)} as "last7Days"
      from generate_series(0, 7) ago
      join access_days a on a.firm_id = k.firm_id and a.day = today - ago and a.key_id = k.id
      cross join lateral (select coalesce(sum(part), 0) as calls from unnest(a.quarters[1:quarter]) part) early) counted
    where k.id = any($1::text[])`;
  const rows = await sql.query<KeyTraffic & { id: string }>({ text, values: [keyIds] });
  return new Map(rows.map(({ id, ...traffic }) => [id, traffic]));
}
