// Repositories: what the mail of a notice says: to whom, and as much of its subject as that person may see.
import type { Actor, ActorKind } from '#core/actor.ts';
import type { Sql } from '#database/database.ts';
import { type FirmIdentity, firmIdentities, NO_IDENTITY } from '../firm-identities.ts';
import { grantEvents, type NamedGrantEvent } from '../grants/grant-events.ts';
import { findNamedGrant, type NamedGrant } from '../grants/grant-queries.ts';
import { type FirmKey, findFirmKey } from '../keys/key-queries.ts';
import { GRANT_ACTIVE, IS_MEMBER } from '../status-sql.ts';
import type { Notice } from './outbox.ts';

export interface Addressee {
  email: string;
  /** Null of somebody who is invited: the name that an administrator chose for them would be a stranger's words in our mail. */
  name: string | null;
  /** In which they are told times, as `Europe/Zurich`; null where nobody knows it. */
  zone: string | null;
  /** The user as whom they are told; null of what concerns the account. */
  user: { id: string; role: string } | null;
}

/**
 * To whom the notice goes: people with an account, since an address that nobody ever confirmed may be anybody's, and those who
 * are invited, whose address the invitation is to confirm. Null where
 * there is none, or where the person has turned the topic off.
 */
export async function addresseeOf(sql: Sql, { recipient, details }: Notice, topic: string): Promise<Addressee | null> {
  const former = typeof details.address === 'string' ? details.address : null;
  const [addressee] = await sql.query<Addressee>({
    text: `select a.email, u.name, json_build_object('id', u.id, 'role', u.role) as user, z.zone
      from users u join portal_accounts a on a.email = coalesce($2, lower(u.email)) left join person_zones z on z.user_id = u.id
      where u.id = $1 and not exists (select from muted_topics t where t.user_id = u.id and t.topic = $3)
      union all select coalesce($2, a.email), a.name, null,
        (select z.zone from users u join person_zones z on z.user_id = u.id where lower(u.email) = a.email
          order by z.noted_at desc limit 1)
      from portal_accounts a where a.id = $1
      union all select i.email, null, null, null from firm_invitations i where i.id = $1 and i.ended_at is null`,
    values: [recipient, former, topic],
  });
  return addressee ?? null;
}

export interface GrantFacts {
  grant: NamedGrant;
  /** Up to the one that is told of, oldest first. */
  events: NamedGrantEvent[];
  categories: ReadonlyMap<string, string>;
  /** Who the firm says it is. */
  firm: FirmIdentity;
}

const PERSONS: Readonly<Record<string, ActorKind>> = { client: 'client', firm_member: 'firm_member' };

const actorOf = ({ id, role }: NonNullable<Addressee['user']>): Actor | null => {
  const kind = PERSONS[role];
  return kind === undefined ? null : { kind, id };
};

/** As this person may see it; null where they may not any more. `event` null: as it stands. */
export async function grantFacts(
  sql: Sql,
  user: NonNullable<Addressee['user']>,
  grantId: string,
  event: number | null,
): Promise<GrantFacts | null> {
  const actor = actorOf(user);
  const grant = actor === null ? null : await findNamedGrant(sql, actor, grantId);
  // Of test clients nobody is told: a member of the firm has taken the step just now.
  if (grant === null || grant.testClient) return null;
  const all = (await grantEvents(sql, [grantId])).get(grantId) ?? [];
  const events = all.filter(({ id }) => event === null || Number(id) <= event).reverse();
  const rows = await sql.query<{ code: string; name: string }>({ text: 'select code, name from categories' });
  const firm = (await firmIdentities(sql, [grant.firmId])).get(grant.firmId) ?? NO_IDENTITY;
  return { grant, events, categories: new Map(rows.map(({ code, name }) => [code, name])), firm };
}

export interface EndingGrants {
  total: number;
  /** The first of them. */
  grants: { id: string; clientName: string; keyName: string; expiresAt: string }[];
}

const ENDING_SHOWN = 20;

/** Active grants to the firm of this member that end on this day (UTC). */
export async function endingGrants(sql: Sql, memberId: string, day: string): Promise<EndingGrants> {
  const grants = await sql.query<EndingGrants['grants'][number] & { total: number }>({
    text: `select g.id, u.name as "clientName", k.name as "keyName", g.expires_at as "expiresAt", count(*) over () as total
      from users m join api_keys k on k.firm_id = m.firm_id and k.rotated_to is null
      join grants g on g.lineage_id = k.lineage_id join users u on u.id = g.client_id
      where m.id = $1 and ${IS_MEMBER} and u.test_firm_id is null and ${GRANT_ACTIVE} and g.expires_at >= $2::date::timestamp at time zone 'UTC'
        and g.expires_at < ($2::date + 1)::timestamp at time zone 'UTC'
      order by g.expires_at, g.id limit ${ENDING_SHOWN}`,
    values: [memberId, day],
  });
  return { total: grants[0]?.total ?? 0, grants };
}

/** The key, or the newest of the chain of rotations that began with it; null where this person may not see it any more. */
export async function keyFacts(
  sql: Sql,
  user: NonNullable<Addressee['user']>,
  keyId: string,
  newest: boolean,
): Promise<FirmKey | null> {
  const actor = actorOf(user);
  if (actor === null) return null;
  const [key] = newest
    ? await sql.query<{ id: string }>({
        text: 'select id from api_keys where lineage_id = $1 and rotated_to is null',
        values: [keyId],
      })
    : [{ id: keyId }];
  return key === undefined ? null : findFirmKey(sql, key.id, actor);
}
