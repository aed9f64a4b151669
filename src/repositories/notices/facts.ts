// Repositories: the content of a notice's mail: the addressee, and the facts that this person may see.
import type { Actor } from '#core/actor.ts';
import type { Sql } from '#database/database.ts';
import { findRow, findValue } from '#database/rows.ts';
import { type FirmIdentity, firmIdentities, NO_IDENTITY } from '../firm-identities.ts';
import { grantEvents, type NamedGrantEvent } from '../grants/grant-events.ts';
import { findNamedGrant, type NamedGrant } from '../grants/grant-queries.ts';
import { type FirmKey, findFirmKey } from '../keys/key-queries.ts';
import { GRANT_ACTIVE, IS_MEMBER } from '../status-sql.ts';
import type { Notice } from './outbox.ts';

export interface Addressee {
  email: string;
  /** Null for an invited person: a name chosen by an administrator would put foreign text into our mail. */
  name: string | null;
  /** Time zone for the mail, such as `Europe/Zurich`; null if not known. */
  zone: string | null;
  /** The user whom the notice concerns; null if it concerns the account. */
  user: { id: string; role: string } | null;
}

/**
 * The addressee of the notice. Only people with an account, since an unconfirmed address may belong to anyone, and
 * invited people, whose address the invitation confirms. Null if there is no addressee, or if the person has muted the
 * topic.
 */
export async function addresseeOf(sql: Sql, { recipient, details }: Notice, topic: string): Promise<Addressee | null> {
  const former = typeof details.address === 'string' ? details.address : null;
  const text = `select a.email, u.name, json_build_object('id', u.id, 'role', u.role) as user, z.zone
    from users u join portal_accounts a on a.email = coalesce($2, lower(u.email)) left join person_zones z on z.user_id = u.id
    where u.id = $1 and not exists (select from muted_topics t where t.user_id = u.id and t.topic = $3)
    union all select coalesce($2, a.email), a.name, null,
      (select z.zone from users u join person_zones z on z.user_id = u.id where lower(u.email) = a.email
        order by z.noted_at desc limit 1)
    from portal_accounts a where a.id = $1
    union all select i.email, null, null, null from firm_invitations i where i.id = $1 and i.ended_at is null`;
  return findRow<Addressee>(sql, { text, values: [recipient, former, topic] });
}

export interface GrantFacts {
  grant: NamedGrant;
  /** Events up to the one of the notice, oldest first. */
  events: NamedGrantEvent[];
  categories: ReadonlyMap<string, string>;
  /** The firm's own details. */
  firm: FirmIdentity;
}

const actorOf = ({ id, role }: NonNullable<Addressee['user']>): Actor | null =>
  role === 'client' || role === 'firm_member' ? { kind: role, id } : null;

/**
 * The facts that this person may see; null if they may not see the grant any more. `event` null means the present
 * state.
 */
export async function grantFacts(
  sql: Sql,
  user: NonNullable<Addressee['user']>,
  grantId: string,
  event: number | null,
): Promise<GrantFacts | null> {
  const actor = actorOf(user);
  const grant = actor === null ? null : await findNamedGrant(sql, actor, grantId);
  // No notices about test clients: a member of the firm has just taken the step.
  if (grant === null || grant.testClient) return null;
  const all = (await grantEvents(sql, [grantId])).get(grantId) ?? [];
  const events = all.filter(({ id }) => event === null || Number(id) <= event).reverse();
  const rows = await sql.query<{ code: string; name: string }>({ text: 'select code, name from categories' });
  const firm = (await firmIdentities(sql, [grant.firmId])).get(grant.firmId) ?? NO_IDENTITY;
  return { grant, events, categories: new Map(rows.map(({ code, name }) => [code, name])), firm };
}

export interface ExpiringGrants {
  total: number;
  /** The first of them. */
  grants: { id: string; clientName: string; keyName: string; expiresAt: string }[];
}

const MAX_LISTED = 20;

/** Active grants to the member's firm that expire on this day (UTC). */
export async function expiringGrants(sql: Sql, memberId: string, day: string): Promise<ExpiringGrants> {
  const grants = await sql.query<ExpiringGrants['grants'][number] & { total: number }>({
    text: `select g.id, u.name as "clientName", k.name as "keyName", g.expires_at as "expiresAt", count(*) over () as total
      from users m join api_keys k on k.firm_id = m.firm_id and k.rotated_to is null
      join grants g on g.lineage_id = k.lineage_id join users u on u.id = g.client_id
      where m.id = $1 and ${IS_MEMBER} and u.test_firm_id is null and ${GRANT_ACTIVE} and g.expires_at >= $2::date::timestamp at time zone 'UTC'
        and g.expires_at < ($2::date + 1)::timestamp at time zone 'UTC'
      order by g.expires_at, g.id limit ${MAX_LISTED}`,
    values: [memberId, day],
  });
  return { total: grants[0]?.total ?? 0, grants };
}

/** The key, or the newest of the lineage that began with it; null if this person may not see it any more. */
export async function keyFacts(
  sql: Sql,
  user: NonNullable<Addressee['user']>,
  keyId: string,
  newest: boolean,
): Promise<FirmKey | null> {
  const actor = actorOf(user);
  if (actor === null) return null;
  const text = 'select id from api_keys where lineage_id = $1 and rotated_to is null';
  const id = newest ? await findValue<string>(sql, { text, values: [keyId] }) : keyId;
  return id === null ? null : findFirmKey(sql, id, actor);
}
