// Repositories: a firm's keys as its members look at them.
import type { Actor } from '#core/actor.ts';
import type { Sql } from '#database/database.ts';
import { within } from '../access-condition.ts';
import { type NamedActor, namedActor } from '../accounts/actor-names.ts';
import { type ApiKey, KEY_COLUMNS, type KeyEvent } from './key-queries.ts';

export interface FirmKey extends ApiKey {
  /** Who made it; `createdBy` is the record's own form. */
  maker: NamedActor;
  revoker: NamedActor | null;
  rotatedFrom: string | null;
  /** Clients with an active grant to the chain of rotations. */
  activeGrants: number;
  /** Requests of the chain that wait for an answer. */
  pendingGrants: number;
}

const KEYS = `
select ${KEY_COLUMNS}, ${namedActor('k.created_by')} as maker, ${namedActor('k.revoked_by')} as revoker,
  (select p.id from api_keys p where p.lineage_id = k.lineage_id and p.rotated_to = k.id) as "rotatedFrom",
  (select count(*) from grants g where g.lineage_id = k.lineage_id and g.status = 'active'
     and (g.expires_at is null or g.expires_at > now_ms())) as "activeGrants",
  (select count(*) from grants g where g.lineage_id = k.lineage_id and g.status = 'pending') as "pendingGrants"
from api_keys k join firms f on f.id = k.firm_id
where ${within({ actorKind: '$1', actorId: '$2', firm: 'k.firm_id' })}`;

/** Newest first. */
export function listFirmKeys(sql: Sql, { kind, id }: Actor): Promise<FirmKey[]> {
  return sql.query<FirmKey>({ text: `${KEYS} order by k.created_at desc, k.id desc`, values: [kind, id] });
}

/** Null for a key out of reach as for one that there is not. */
export async function findFirmKey(sql: Sql, keyId: string, { kind, id }: Actor): Promise<FirmKey | null> {
  const [key] = await sql.query<FirmKey>({ text: `${KEYS} and k.id = $3`, values: [kind, id, keyId] });
  return key ?? null;
}

export interface KeyStep extends Pick<KeyEvent, 'keyId' | 'at' | 'action' | 'details'> {
  actor: NamedActor;
}

/** Everything that happened to the keys' chains of rotations, newest first, by key asked for. */
export async function keySteps(sql: Sql, keyIds: readonly string[]): Promise<Map<string, KeyStep[]>> {
  const rows = await sql.query<KeyStep & { asked: string }>({
    text: `select k.id as asked, e.key_id as "keyId", e.at, ${namedActor('e.actor')} as actor, e.action, e.details
      from api_keys k join api_keys c on c.lineage_id = k.lineage_id join key_events e on e.key_id = c.id
      where k.id = any($1) order by e.id desc`,
    values: [keyIds],
  });
  return Map.groupBy(rows, ({ asked }) => asked);
}

export interface KeyTraffic {
  last24Hours: number;
  last7Days: number;
  lastCallAt: string | null;
}

/** How often the keys called about clients they had to do with. */
export async function keyTraffic(sql: Sql, keyIds: readonly string[]): Promise<Map<string, KeyTraffic>> {
  const rows = await sql.query<KeyTraffic & { id: string }>({
    text: `select k.id, t.* from unnest($1::text[]) k (id) cross join lateral (
        select count(*) filter (where r.at > now() - interval '24 hours') as "last24Hours",
          count(*) as "last7Days", max(r.at) as "lastCallAt"
        from access_records r where r.key_id = k.id and r.related and r.at > now() - interval '7 days') t`,
    values: [keyIds],
  });
  return new Map(rows.map(({ id, ...traffic }) => [id, traffic]));
}
