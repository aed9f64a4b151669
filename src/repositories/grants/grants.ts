// Repositories: the transitions of a grant, each recorded with its actor in the same statement.
import { type Actor, actorText } from '#core/actor.ts';
import { refuse } from '#core/errors.ts';
import { type GrantTerms, type GrantTransition, nextGrantState } from '#core/grant-lifecycle.ts';
import type { Sql } from '#database/database.ts';
import { hasRows, readValue } from '#database/rows.ts';
import { readServerTime } from '../database-health.ts';
import { givenOrNewId, requireAddressee, requirePurpose } from '../input-checks.ts';
import { GRANT_ACTIVE, GRANT_KEY, GRANT_OPEN } from '../status-sql.ts';
import { requireRequestableTerms } from './firm-visibility.ts';
import {
  ANY_USABLE,
  findAddressee,
  LOCKED_PARTIES,
  type Pair,
  requireGrantAccess,
  requirePairAccess,
} from './grant-access.ts';
import { endGrants } from './grant-end.ts';
import { GRANT_COLUMNS, type Grant } from './grant-queries.ts';
import { givenTerms, isWithinRequest, recordedTerms, requireTerms, type TermChanges, termsOf } from './grant-terms.ts';

export interface NewGrant extends GrantTerms {
  /** Absent for a generated id. */
  id?: string | undefined;
  /** Any key of the lineage. */
  keyId: string;
  clientId: string;
}

export interface GrantRequest extends GrantTerms {
  /** Absent for a generated id. */
  id?: string | undefined;
  keyId: string;
  /** The addressee: a client's id or e-mail address, or any other line of text. */
  client: string;
  purpose: string | null;
}

/**
 * A firm requests access. The request is recorded whether or not the client exists. It is refused only for reasons that
 * the firm already knows: its terms, an open request with the same words, an active grant, or items that it does not
 * see.
 */
export async function requestGrant(sql: Sql, request: GrantRequest, actor: Actor): Promise<Grant> {
  const id = givenOrNewId('grant', request.id);
  const status = nextGrantState(null, 'request', actor.kind);
  const addressee = requireAddressee(request.client);
  const purpose = requirePurpose(request.purpose);
  const { lineageId, firmId, clientId } = await findAddressee(sql, { ...request, client: addressee }, actor);
  await requireRequestableTerms(sql, { firmId, clientId }, termsOf(request));
  const details = { ...recordedTerms(termsOf(request)), ...(purpose === null ? {} : { purpose }) };
  const [created] = await sql.query<Grant>({
    // A client who is gone in the meantime is treated as unknown.
    text: `with ${LOCKED_PARTIES}, created as (
        insert into grants (id, lineage_id, client_id, addressee, status, scopes, filter, expires_at, purpose)
        select $1, $2, (select id from present), $4, $5, $6, $7, $8, $9
        where ${ANY_USABLE} and not exists (select from grants g where lineage_id = $2 and client_id = $3 and ${GRANT_ACTIVE})
        on conflict do nothing returning *),
      event as (insert into grant_events (grant_id, actor, action, details)
        select id, $10, 'request', $11::jsonb from created)
      select ${GRANT_COLUMNS} from created g ${GRANT_KEY}`,
    values: [
      ...[id, lineageId, clientId, addressee, status, request.scopes, JSON.stringify(request.filter)],
      ...[request.expiresAt, purpose, actorText(actor), JSON.stringify(details)],
    ],
  });
  if (created !== undefined) return created;
  await requireNotRevoked(sql, lineageId, request.keyId);
  refuse('already_exists', `This key already has an active grant from "${addressee}" or an open request to them.`);
}

/** A client gives a grant without a request; refused if the pair has an active grant. */
export async function grantWithoutRequest(sql: Sql, grant: NewGrant, actor: Actor): Promise<Grant> {
  const status = nextGrantState(null, 'grant', actor.kind);
  const id = givenOrNewId('grant', grant.id);
  const pair = await requirePairAccess(sql, grant, actor);
  await requireTerms(sql, pair.clientId, termsOf(grant));
  await markExpired(sql, pair);
  const [created] = await sql.query<Grant>({
    text: `with ${LOCKED_PARTIES}, created as (
        insert into grants (id, lineage_id, client_id, status, scopes, filter, expires_at, activated_at)
        select $1, $2, id, $4, $5, $6, $7, now_ms() from present where ${ANY_USABLE}
        on conflict do nothing returning *),
      event as (insert into grant_events (grant_id, actor, action, details)
        select id, $8, 'grant', $9::jsonb from created)
      select ${GRANT_COLUMNS} from created g ${GRANT_KEY}`,
    values: [
      ...[id, pair.lineageId, pair.clientId, status, grant.scopes, JSON.stringify(grant.filter), grant.expiresAt],
      ...[actorText(actor), JSON.stringify(recordedTerms(termsOf(grant)))],
    ],
  });
  if (created !== undefined) return created;
  await requirePairAccess(sql, grant, actor);
  await requireNotRevoked(sql, pair.lineageId, grant.keyId);
  return refuseDuplicate(sql, id);
}

/** The client approves a request, possibly with narrower terms. */
export async function approveGrant(sql: Sql, id: string, narrower: TermChanges, actor: Actor): Promise<Grant> {
  const requested = await requireGrantAccess(sql, id, actor);
  nextGrantState(requested.status, 'approve', actor.kind);
  const given = givenTerms(narrower);
  const approved = { ...termsOf(requested), ...given };
  if (!(await isWithinRequest(sql, requested.clientId, approved, termsOf(requested)))) {
    refuse('invalid_parameter', 'An approval can narrow the request, but not widen it.');
  }
  await requireTerms(sql, requested.clientId, { ...given, expiresAt: approved.expiresAt });
  await markExpired(sql, requested);
  return transition(sql, 'approve', requested, approved, actor);
}

export async function declineGrant(sql: Sql, id: string, actor: Actor): Promise<Grant> {
  return transition(sql, 'decline', await requireGrantAccess(sql, id, actor), {}, actor);
}

/** Withdraws a request, even if the client has declined it in the meantime, since the firm does not learn that. */
export async function withdrawGrant(sql: Sql, id: string, actor: Actor): Promise<Grant> {
  const grant = await requireGrantAccess(sql, id, actor);
  return transition(sql, 'withdraw', grant.open ? { ...grant, status: 'pending' } : grant, {}, actor);
}

/**
 * Narrows, widens, prolongs or shortens an active grant, within the caller's transaction. `basedOn` is the newest event
 * that the actor has seen. If there is a later one the change is refused, because it could restore access that was
 * removed in the meantime.
 */
export async function changeGrant(
  sql: Sql,
  id: string,
  changes: TermChanges,
  actor: Actor,
  basedOn: string | null = null,
): Promise<Grant> {
  const grant = await requireGrantAccess(sql, id, actor);
  nextGrantState(grant.status, 'change', actor.kind);
  if (basedOn !== null) await requireLastEvent(sql, id, basedOn);
  const given = givenTerms(changes);
  await requireTerms(sql, grant.clientId, given);
  return transition(sql, 'change', grant, given, actor);
}

/** Expires an active grant now, by moving its expiry to the present. */
export async function expireGrant(sql: Sql, id: string, actor: Actor): Promise<Grant> {
  const grant = await requireGrantAccess(sql, id, actor);
  await transition(sql, 'change', grant, { expiresAt: await readServerTime(sql) }, actor);
  await markExpired(sql, grant);
  return requireGrantAccess(sql, id, actor);
}

/**
 * Takes effect at once: a trigger logs the change, and a gateway uses a cached admission only if the change log shows
 * no change since it was cached.
 */
export async function revokeGrant(sql: Sql, id: string, actor: Actor): Promise<Grant> {
  return transition(sql, 'revoke', await requireGrantAccess(sql, id, actor), {}, actor);
}

/** Idempotent revocation, also for concurrent callers: returns a grant that is already revoked unchanged. */
export async function ensureRevoked(sql: Sql, id: string, actor: Actor): Promise<Grant> {
  return revokeGrant(sql, id, actor).catch(async (error: unknown) => {
    const grant = await requireGrantAccess(sql, id, actor);
    if (grant.status === 'revoked') return grant;
    throw error;
  });
}

/**
 * Ends all grants of a client to a firm in one statement: revokes active ones and declines pending ones. Returns how
 * many.
 */
export async function stopFirm(sql: Sql, of: { clientId: string; firmId: string }, actor: Actor): Promise<number> {
  nextGrantState('active', 'revoke', actor.kind);
  nextGrantState('pending', 'decline', actor.kind);
  const where = `g.client_id = $1 and g.lineage_id in (select lineage_id from api_keys where firm_id = $2)
    and (g.status = 'pending' or ${GRANT_ACTIVE})`;
  const text = `with ${endGrants({ where, actor: '$3', pending: 'declined' })} select count(*)::int from ended`;
  return readValue<number>(sql, { text, values: [of.clientId, of.firmId, actorText(actor)] });
}

/** Records expiries that have passed, as of their time, for one pair, one client or all. Returns how many. */
export function markExpired(sql: Sql, of: { [Name in keyof Pair]?: string | null } = {}): Promise<number> {
  const text = `with ended as (
      update grants set status = 'expired', ended_at = expires_at
      where id in (
        select id from grants
        where status = 'active' and expires_at <= now_ms()
          and ($1::text is null or lineage_id = $1) and ($2::text is null or client_id = $2)
        order by id for no key update)
      returning id, ended_at),
    event as (insert into grant_events (grant_id, at, actor, action)
      select id, ended_at, 'system:expiry', 'expire' from ended)
    select count(*) from ended`;
  return readValue(sql, { text, values: [of.lineageId ?? null, of.clientId ?? null] });
}

/**
 * Makes the transition only if the grant's state has not changed since it was checked. Of two concurrent ones, the
 * second is refused.
 */
async function transition(
  sql: Sql,
  name: Exclude<GrantTransition, 'request' | 'grant' | 'expire'>,
  grant: Grant,
  terms: Partial<GrantTerms>,
  actor: Actor,
): Promise<Grant> {
  const status = nextGrantState(grant.status, name, actor.kind);
  const [changed] = await sql
    .query<Grant>({
      text: `with changed as (
        update grants g set status = $3, scopes = coalesce($4::smallint, scopes), filter = coalesce($5::jsonb, filter),
          expires_at = case when $6 then $7::timestamptz else expires_at end,
          activated_at = case when $3 = 'active' then coalesce(activated_at, now_ms()) else activated_at end,
          ended_at = case when $3 = 'active' then null else now_ms() end, untold = $9 = 'decline'
        where id = $1 and (case $9 when 'withdraw' then ${GRANT_OPEN} else status = $2 end)
          and (status <> 'active' or expires_at is null or expires_at > now_ms())
        returning *),
      event as (insert into grant_events (grant_id, actor, action, details)
        select id, $8, $9, $10::jsonb from changed)
      select ${GRANT_COLUMNS} from changed g ${GRANT_KEY}`,
      values: [
        ...[grant.id, grant.status, status, terms.scopes ?? null],
        ...[terms.filter === undefined ? null : JSON.stringify(terms.filter)],
        ...[terms.expiresAt !== undefined, terms.expiresAt ?? null],
        ...[actorText(actor), name, JSON.stringify(recordedTerms(terms))],
      ],
    })
    .catch(refuseSecondActive);
  if (changed !== undefined) return changed;
  nextGrantState((await requireGrantAccess(sql, grant.id, actor)).status, name, actor.kind);
  refuse('invalid_transition', 'The grant has changed in the meantime. Reload and check it.');
}

/** Locks the grant, so that no event is added before the transaction ends. */
async function requireLastEvent(sql: Sql, id: string, eventId: string): Promise<void> {
  await sql.query({ text: 'select from grants where id = $1 for no key update', values: [id] });
  const text = 'select max(id)::text as id from grant_events where grant_id = $1';
  if ((await readValue<string | null>(sql, { text, values: [id] })) === eventId) return;
  refuse('invalid_transition', 'The grant has changed in the meantime. Reload and check it.');
}

async function requireNotRevoked(sql: Sql, lineageId: string, keyId: string): Promise<void> {
  const text = 'select from api_keys where lineage_id = $1 and revoked_at is null';
  if (!(await hasRows(sql, { text, values: [lineageId] })))
    refuse('invalid_transition', `The key ${keyId} cannot be used: it is revoked.`);
}

async function refuseDuplicate(sql: Sql, id: string): Promise<never> {
  const [same] = await sql.query({ text: 'select from grants where id = $1', values: [id] });
  const message = `There is already ${same === undefined ? 'an active grant for this key and client' : `a grant ${id}`}.`;
  refuse('already_exists', message);
}

function refuseSecondActive(error: { code?: string; constraint?: string }): never {
  if (error.code !== '23505' || error.constraint !== 'grants_one_active') throw error;
  refuse('already_exists', 'There is already an active grant for this key and client.');
}
