// Repositories: the lifecycle of an API key: creation, rotation, tier and revocation.
import { type Actor, actorText } from '#core/actor.ts';
import { refuse } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import type { Environment } from '#core/principal.ts';
import { type ScopeSet, scopesOf } from '#core/scopes.ts';
import { LASTING, type Tier } from '#core/tiers.ts';
import type { Sql, Transactions } from '#database/database.ts';
import { readValue } from '#database/rows.ts';
import { accessCondition } from '../access-condition.ts';
import { lockFirm, lockFirmFor } from '../firms.ts';
import {
  givenOrNewId,
  type Occasion,
  requireFuture,
  requireName,
  requireNote,
  requireOccasion,
  requireScopes,
} from '../input-checks.ts';
import { KEY_ACTIVE } from '../status-sql.ts';
import { requireActivePlan, requireKeyAccess } from './key-access.ts';
import { type ApiKey, isCopyOf, KEY_COLUMNS, requireKey } from './key-queries.ts';
import { type KeyBounds, requireLifetime, requireNetworks } from './key-settings.ts';

/** The stored parts of a secret (see src/auth/key-format.ts). */
interface StoredSecret {
  hash: Buffer;
  prefix: string;
  lastFour: string;
}

export interface NewKey {
  /** Absent for a generated id. */
  id?: string | undefined;
  firmId: string;
  name: string;
  environment: Environment;
  scopes: ScopeSet;
  /** RFC 3339; null for never. */
  expiresAt: string | null;
  /** Absent for none. */
  note?: string | null | undefined;
  /** Addresses and CIDR ranges; absent or empty for anywhere. */
  allowedNetworks?: readonly string[] | undefined;
  secret: StoredSecret;
}

const HOUR_MS = 3_600_000;
export const MAX_OVERLAP_MS = 24 * HOUR_MS;
export const DEFAULT_OVERLAP_MS = HOUR_MS;

/** Requires an active enterprise plan, and fewer usable keys than the maximum; else throws `too_many_keys`. */
export function createKey(
  database: Transactions,
  key: NewKey,
  actor: Actor,
  { maxKeys, lifetimeDays }: KeyBounds,
): Promise<ApiKey> {
  return database.transaction(async (sql) => {
    await requireLifetime(sql, key.expiresAt, lifetimeDays);
    const created = await createKeyInTransaction(sql, key, actor);
    if ((await usableKeys(sql, key.firmId)) > maxKeys)
      refuse(
        'too_many_keys',
        `The firm already has ${maxKeys} usable keys, the maximum. Revoke one that is not needed.`,
      );
    return created;
  });
}

/** Like `createKey`, within a transaction of the caller, and without limits on the number and lifetime of keys. */
export async function createKeyInTransaction(sql: Sql, key: NewKey, actor: Actor): Promise<ApiKey> {
  const { firmId, environment, expiresAt, secret } = key;
  const id = givenOrNewId('key', key.id);
  const name = requireName(key.name, 'name');
  const scopes = requireScopes(key.scopes);
  await lockFirmFor(sql, firmId, actor, 'developer');
  await requireActivePlan(sql, firmId);
  await requireFuture(sql, expiresAt);
  const note = requireNote(key.note ?? null);
  const networks = await requireNetworks(sql, key.allowedNetworks ?? []);
  const details = JSON.stringify({
    ...{ name, environment, scopes: scopesOf(scopes), expires_at: expiresAt },
    ...(note === null ? {} : { note }),
    ...(networks.length === 0 ? {} : { allowed_networks: networks }),
  });
  const by = actorText(actor);
  const text = `with created as (
      insert into api_keys (id, lineage_id, firm_id, name, environment, scopes, expires_at, secret_hash,
        secret_prefix, secret_last_four, created_by, note, allowed_networks)
      values ($1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $12, $13::text[]::cidr[]) on conflict (id) do nothing returning *),
    event as (insert into key_events (key_id, actor, action, details)
      select id, $10, 'create', $11::jsonb from created)
    select ${KEY_COLUMNS} from created k join firms f on f.id = k.firm_id`;
  const values = [
    id,
    firmId,
    name,
    environment,
    scopes,
    expiresAt,
    ...secretValues(secret),
    by,
    details,
    note,
    networks,
  ];
  const [created] = await sql.query<ApiKey>({ text, values });
  return created ?? refuse('already_exists', `There is already a key ${id}.`);
}

/**
 * Includes predecessors in their overlap. Requires the firm's lock, so that no other transaction adds a key at the same
 * time.
 */
function usableKeys(sql: Sql, firmId: string): Promise<number> {
  const text = `select count(*)::integer as usable from api_keys k where k.firm_id = $1 and ${KEY_ACTIVE}`;
  return readValue(sql, { text, values: [firmId] });
}

interface Rotation {
  secret: StoredSecret;
  /** Default is DEFAULT_OVERLAP_MS, maximum MAX_OVERLAP_MS. */
  overlapMs?: number | undefined;
}

interface Rotated {
  successor: ApiKey;
  predecessor: ApiKey;
}

/**
 * Creates a successor with the same settings and, through the lineage, the same grants and rate limit. The predecessor
 * works for another `overlapMs`, but no longer than before. Of concurrent rotations only one succeeds.
 *
 * During the overlap the firm has one more usable key: throws `too_many_keys` if that exceeds `most`. Without an
 * overlap the successor replaces the predecessor, so that rotation is always possible.
 */
export function rotateKey(
  database: Transactions,
  id: string,
  rotation: Rotation,
  actor: Actor,
  { maxKeys, lifetimeDays }: KeyBounds,
): Promise<Rotated> {
  return database.transaction(async (sql) => {
    const { firmId } = await requireKeyAccess(sql, id, actor);
    await lockFirmFor(sql, firmId, actor, 'developer');
    const rotated = await rotateKeyInTransaction(sql, id, { ...rotation, lifetimeDays }, actor);
    if (rotated.predecessor.status === 'active' && (await usableKeys(sql, firmId)) > maxKeys)
      refuse(
        'too_many_keys',
        `The firm may have at most ${maxKeys} usable keys; with an overlap there would be more. Rotate without an overlap, ` +
          'or revoke a key that is not needed.',
      );
    return rotated;
  });
}

/** Like `rotateKey`, within a transaction of the caller, and without a limit on the number of keys. */
export async function rotateKeyInTransaction(
  sql: Sql,
  id: string,
  { secret, overlapMs = DEFAULT_OVERLAP_MS, lifetimeDays = null }: Rotation & Partial<KeyBounds>,
  actor: Actor,
): Promise<Rotated> {
  if (!(overlapMs >= 0 && overlapMs <= MAX_OVERLAP_MS)) refuse('invalid_parameter', 'The overlap is 0 to 24 hours.');
  const successorId = newId('key');
  const condition = accessCondition({ actorKind: '$7', actorId: '$8', firm: 'firm_id' });
  const by = actorText(actor);
  const text = `with current as (
      select * from api_keys k where id = $1 and rotated_to is null and ${KEY_ACTIVE} and ${condition}
      for no key update),
    successor as (
      insert into api_keys (id, lineage_id, firm_id, name, environment, scopes, tier_override, expires_at,
        note, allowed_networks, secret_hash, secret_prefix, secret_last_four, created_by)
      select $2, lineage_id, firm_id, name, environment, scopes, tier_override,
        least(expires_at, now_ms() + $10 * interval '1 day'), note, allowed_networks, $3, $4, $5, $6
      from current returning *),
    predecessor as (
      update api_keys p set rotated_to = $2,
        expires_at = least(p.expires_at, now_ms() + $9 * interval '1 millisecond')
      from current where p.id = current.id returning p.*),
    event as (insert into key_events (key_id, actor, action, details)
      select id, $6, 'rotate', jsonb_build_object('successor', $2::text, 'overlap_ms', $9) from predecessor
      union all
      select id, $6, 'create', jsonb_build_object('predecessor', $1::text) from successor)
    select ${KEY_COLUMNS} from (table successor union all table predecessor) k join firms f on f.id = k.firm_id`;
  const values = [
    id,
    successorId,
    ...secretValues(secret),
    by,
    actor.kind,
    actor.id,
    Math.round(overlapMs),
    lifetimeDays,
  ];
  const rows = await sql.query<ApiKey>({ text, values });
  const successor = rows.find((key) => key.id === successorId);
  const predecessor = rows.find((key) => key.id === id);
  if (successor !== undefined && predecessor !== undefined) return { successor, predecessor };
  const key = await requireKeyAccess(sql, id, actor);
  const state = key.rotatedTo !== null && key.status !== 'revoked' ? 'rotated already' : key.status;
  return refuse('invalid_transition', `The key ${id} cannot be rotated: it is ${state}.`);
}

/** Final, and effective at once, as for grants (`revokeGrant`). Revoking a revoked key does nothing. */
export async function revokeKey(sql: Sql, id: string, actor: Actor): Promise<ApiKey> {
  const text = `with revoked as (
      update api_keys set revoked_at = now_ms(), revoked_by = $2
      where id = $1 and revoked_at is null and ${accessCondition({ actorKind: '$3', actorId: '$4', firm: 'firm_id' })}
      returning *),
    event as (insert into key_events (key_id, actor, action) select id, $2, 'revoke' from revoked)
    select ${KEY_COLUMNS} from revoked k join firms f on f.id = k.firm_id`;
  const [revoked] = await sql.query<ApiKey>({ text, values: [id, actorText(actor), actor.kind, actor.id] });
  return revoked ?? requireKeyAccess(sql, id, actor);
}

/**
 * Overrides the tier of a key and its rotations, which share one limit; null removes the override, and LASTING only one
 * with an end. After the end of an override, the last one set without an end applies again. Only operators may do this.
 */
export async function setKeyTier(
  database: Transactions,
  id: string,
  { tier, ...occasion }: Occasion & { tier: Tier | typeof LASTING | null },
  actor: Actor,
): Promise<ApiKey> {
  if (actor.kind !== 'operator') refuse('forbidden', 'Only operators change the tier of a key.');
  const { reason, endsAt } = occasion;
  if ((tier === null || tier === LASTING) && endsAt !== null)
    refuse('invalid_parameter', 'Only an override of the tier can have an expiry.');
  return database.transaction(async (sql) => {
    await requireOccasion(sql, occasion);
    const { firmId, lineageId } = await requireKey(sql, id);
    // A rotation holds this lock, so the statement below sees its successor.
    await lockFirm(sql, firmId);
    const text = `with chosen as (
        select case $3 when '${LASTING}' then tier_override else $3 end as tier from api_keys where id = $1),
      -- In the order in which a new grant locks them (LOCKED_PARTIES). Another order could deadlock.
      held as (select id from api_keys where lineage_id = $2 and $5::timestamptz is null order by id for no key update),
      permanent as (
        update api_keys k set tier_override = chosen.tier from chosen, held where k.id = held.id),
      brief as (insert into brief_limits (lineage_id, tier, ends_at)
        values ($2, case when $5::timestamptz is not null then $3 end, $5))
      insert into key_events (key_id, actor, action, details)
        select $1, $4, 'tier', jsonb_build_object('tier', tier, 'ends_at', $5::timestamptz) from chosen returning id::text`;
    const event = await readValue<string>(sql, { text, values: [id, lineageId, tier, actorText(actor), endsAt] });
    // Why is for operations alone: the event itself is an entry of the ledger that the firm can read.
    const withReason = `update firm_events e set details = e.details || jsonb_build_object('reason', $2::text)
      where ${isCopyOf('e', '$1::text')} returning 1`;
    await readValue(sql, { text: withReason, values: [event, reason] });
    return requireKey(sql, id);
  });
}

const secretValues = ({ hash, prefix, lastFour }: StoredSecret): unknown[] => [hash, prefix, lastFour];
