// Repositories: the life of an API key: made, changed, rotated, put on another tier, revoked.
import { type Actor, actorText } from '#core/actor.ts';
import { type ErrorCode, Refusal } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import { MAX_NETWORKS, readNetwork } from '#core/networks.ts';
import type { Environment } from '#core/principal.ts';
import { type ScopeSet, scopesOf } from '#core/scopes.ts';
import type { Tier } from '#core/tiers.ts';
import type { Database, Sql } from '#database/database.ts';
import { accessCondition } from '../access-condition.ts';
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
import { holdFirm, requireActivePlan, requireKeyAccess } from './key-access.ts';
import { type ApiKey, findKey, KEY_COLUMNS } from './key-queries.ts';

/** What is kept of a secret (see src/auth/key-format.ts). */
export interface StoredSecret {
  hash: Buffer;
  prefix: string;
  lastFour: string;
}

export interface NewKey {
  /** Absent: a new one. */
  id?: string | undefined;
  firmId: string;
  name: string;
  environment: Environment;
  scopes: ScopeSet;
  /** RFC 3339; null: never. */
  expiresAt: string | null;
  /** Absent: none. */
  note?: string | null | undefined;
  /** Addresses and CIDR ranges; absent or empty: it may be used from anywhere. */
  allowedNetworks?: readonly string[] | undefined;
  secret: StoredSecret;
}

const HOUR_MS = 3_600_000;
export const MAX_OVERLAP_MS = 24 * HOUR_MS;
export const DEFAULT_OVERLAP_MS = HOUR_MS;

/** What the installation bounds. */
export interface KeyBounds {
  /** Usable keys of a firm, predecessors in their overlap included. */
  most: number;
  /** How far ahead an expiry may lie when it is set; null: any, and keys need none. */
  lifetimeDays: number | null;
}

/** The firm needs an active enterprise plan, and room for another usable key; else `too_many_keys`. */
export function createKey(
  database: Pick<Database, 'transaction'>,
  key: NewKey,
  actor: Actor,
  { most, lifetimeDays }: KeyBounds,
): Promise<ApiKey> {
  return database.transaction(async (sql) => {
    await requireLifetime(sql, key.expiresAt, lifetimeDays);
    const created = await createKeyWithin(sql, key, actor);
    if ((await usableKeys(sql, key.firmId)) > most)
      refuse('too_many_keys', `The firm may have ${most} usable keys, and has them. Revoke one that is not needed.`);
    return created;
  });
}

/** As `createKey`, where there is a transaction already; however many keys the firm has, and however long they work. */
export async function createKeyWithin(sql: Sql, key: NewKey, actor: Actor): Promise<ApiKey> {
  const id = givenOrNewId('key', key.id);
  const name = requireName(key.name, 'name');
  const scopes = requireScopes(key.scopes);
  await requireActivePlan(sql, key.firmId, actor);
  await requireFuture(sql, key.expiresAt);
  const note = requireNote(key.note ?? null);
  const networks = await requireNetworks(sql, key.allowedNetworks ?? []);
  const details = {
    ...{ name, environment: key.environment, scopes: scopesOf(scopes), expires_at: key.expiresAt },
    ...(note === null ? {} : { note }),
    ...(networks.length === 0 ? {} : { allowed_networks: networks }),
  };
  const [created] = await sql.query<ApiKey>({
    text: `with created as (
        insert into api_keys (id, lineage_id, firm_id, name, environment, scopes, expires_at, secret_hash,
          secret_prefix, secret_last_four, created_by, note, allowed_networks)
        values ($1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $12, $13::text[]::cidr[]) on conflict (id) do nothing returning *),
      event as (insert into key_events (key_id, actor, action, details)
        select id, $10, 'create', $11::jsonb from created)
      select ${KEY_COLUMNS} from created k join firms f on f.id = k.firm_id`,
    values: [
      id,
      key.firmId,
      name,
      key.environment,
      scopes,
      key.expiresAt,
      ...secretValues(key.secret),
      actorText(actor),
      JSON.stringify(details),
      note,
      networks,
    ],
  });
  return created ?? refuse('already_exists', `There is already a key ${id}.`);
}

/** Predecessors in their overlap included. The firm must be held, so that no other transaction adds one meanwhile. */
async function usableKeys(sql: Sql, firmId: string): Promise<number> {
  const [row] = await sql.query<{ usable: number }>({
    text: `select count(*)::integer as usable from api_keys k where k.firm_id = $1 and ${KEY_ACTIVE}`,
    values: [firmId],
  });
  return row?.usable ?? 0;
}

interface Rotation {
  secret: StoredSecret;
  /** DEFAULT_OVERLAP_MS where not given, at most MAX_OVERLAP_MS. */
  overlapMs?: number | undefined;
}

interface Rotated {
  successor: ApiKey;
  predecessor: ApiKey;
}

/**
 * A successor with the same settings and, through the lineage, the same grants and rate limit. The predecessor works
 * on for `overlapMs`, but never longer than it would have. Of concurrent rotations one wins.
 *
 * While both work the firm has one usable key more: `too_many_keys` where that is more than `most`. Without an overlap
 * the successor takes the predecessor's place, so that can always be done.
 */
export function rotateKey(
  database: Pick<Database, 'transaction'>,
  id: string,
  rotation: Rotation,
  actor: Actor,
  { most, lifetimeDays }: KeyBounds,
): Promise<Rotated> {
  return database.transaction(async (sql) => {
    const { firmId } = await requireKeyAccess(sql, id, actor);
    await holdFirm(sql, firmId);
    const rotated = await rotateKeyWithin(sql, id, { ...rotation, lifetimeDays }, actor);
    if (rotated.predecessor.status === 'active' && (await usableKeys(sql, firmId)) > most)
      refuse(
        'too_many_keys',
        `The firm may have ${most} usable keys, and with an overlap there would be more. Rotate without an overlap, ` +
          'or revoke a key that is not needed.',
      );
    return rotated;
  });
}

/** As `rotateKey`, where there is a transaction already; however many keys the firm has. */
export async function rotateKeyWithin(
  sql: Sql,
  id: string,
  { secret, overlapMs = DEFAULT_OVERLAP_MS, lifetimeDays = null }: Rotation & Partial<KeyBounds>,
  actor: Actor,
): Promise<Rotated> {
  if (!(overlapMs >= 0 && overlapMs <= MAX_OVERLAP_MS)) refuse('invalid_parameter', 'The overlap is 0 to 24 hours.');
  const successorId = newId('key');
  const condition = accessCondition({ actorKind: '$7', actorId: '$8', firm: 'firm_id' });
  const rows = await sql.query<ApiKey>({
    text: `with current as (
        select * from api_keys
        where id = $1 and revoked_at is null and rotated_to is null
          and (expires_at is null or expires_at > now_ms()) and ${condition}
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
      select ${KEY_COLUMNS} from (table successor union all table predecessor) k join firms f on f.id = k.firm_id`,
    values: [
      id,
      successorId,
      ...secretValues(secret),
      actorText(actor),
      actor.kind,
      actor.id,
      Math.round(overlapMs),
      lifetimeDays,
    ],
  });
  const successor = rows.find((key) => key.id === successorId);
  const predecessor = rows.find((key) => key.id === id);
  if (successor !== undefined && predecessor !== undefined) return { successor, predecessor };
  const key = await requireKeyAccess(sql, id, actor);
  const state = key.rotatedTo !== null && key.status !== 'revoked' ? 'rotated already' : key.status;
  return refuse('invalid_transition', `The key ${id} cannot be rotated: it is ${state}.`);
}

/** Final and immediate: every request reads the row afresh. Revoking a revoked key changes nothing. */
export async function revokeKey(sql: Sql, id: string, actor: Actor): Promise<ApiKey> {
  const [revoked] = await sql.query<ApiKey>({
    text: `with revoked as (
        update api_keys set revoked_at = now_ms(), revoked_by = $2
        where id = $1 and revoked_at is null and ${accessCondition({ actorKind: '$3', actorId: '$4', firm: 'firm_id' })}
        returning *),
      event as (insert into key_events (key_id, actor, action) select id, $2, 'revoke' from revoked)
      select ${KEY_COLUMNS} from revoked k join firms f on f.id = k.firm_id`,
    values: [id, actorText(actor), actor.kind, actor.id],
  });
  return revoked ?? requireKeyAccess(sql, id, actor);
}

/**
 * Overrides the tier of one key; null lifts the override. One with an end holds for the key and its rotations until then, and what
 * was set without one holds again. Only operators may.
 */
export async function setKeyTier(
  sql: Sql,
  id: string,
  { tier, ...occasion }: Occasion & { tier: Tier | null },
  actor: Actor,
): Promise<ApiKey> {
  if (actor.kind !== 'operator') refuse('forbidden', 'Only operators change the tier of a key.');
  const { reason, endsAt } = occasion;
  if (tier === null && endsAt !== null) refuse('invalid_parameter', 'Only an override of the tier can end by itself.');
  await requireOccasion(sql, occasion);
  const changed = await sql.query<{ id: string }>({
    text: `with changed as (update api_keys set tier_override = case when $5::timestamptz is null then $2 else tier_override end
        where id = $1 returning *),
      brief as (insert into brief_limits (lineage_id, tier, ends_at)
        select lineage_id, case when $5::timestamptz is not null then $2 end, $5 from changed),
      event as (insert into key_events (key_id, actor, action, details)
        select id, $3, 'tier', jsonb_build_object('tier', $2::text, 'reason', $4::text, 'ends_at', $5::timestamptz) from changed)
      select id from changed`,
    values: [id, tier, actorText(actor), reason, endsAt],
  });
  // Read apart: a statement does not see the rows that it adds.
  const key = changed.length === 0 ? null : await findKey(sql, id);
  return key ?? refuse('resource_not_found', `There is no key ${id}.`);
}

/** Absent: as it is. */
export interface KeyChanges {
  name?: string | undefined;
  /** Null: none. */
  note?: string | null | undefined;
  /** RFC 3339; null: never. */
  expiresAt?: string | null | undefined;
  allowedNetworks?: readonly string[] | undefined;
}

/**
 * Changes what a key is called, what is noted of it, until when and from where it works: at once on every gateway, because each
 * request reads the row afresh. Name and note can be changed of any key. When and where it works only while it does: nothing
 * brings back a key that was revoked or has expired. A key that was rotated keeps its overlap, or ends earlier.
 */
export function changeKey(
  database: Pick<Database, 'transaction'>,
  id: string,
  changes: KeyChanges,
  actor: Actor,
  { lifetimeDays }: Pick<KeyBounds, 'lifetimeDays'>,
): Promise<ApiKey> {
  return database.transaction(async (sql) => {
    await requireKeyAccess(sql, id, actor);
    await sql.query({ text: 'select from api_keys where id = $1 for no key update', values: [id] });
    const before = await requireKeyAccess(sql, id, actor);
    const { name, note, expiresAt, allowedNetworks } = changes;
    const wanted: SettledChanges = {
      name: name === undefined ? before.name : requireName(name, 'name'),
      note: note === undefined ? before.note : requireNote(note),
      expiresAt: expiresAt === undefined ? before.expiresAt : expiresAt,
      allowedNetworks:
        allowedNetworks === undefined ? before.allowedNetworks : await requireNetworks(sql, allowedNetworks),
    };
    const details = differences(before, wanted);
    if (details === null) return before;
    const bears = ['expires_at', 'allowed_networks'].some((column) => column in details);
    if (bears && before.status !== 'active')
      refuse('invalid_transition', `The key ${id} is ${before.status}: nothing brings it back.`);
    if ('expires_at' in details) {
      await requireFuture(sql, wanted.expiresAt);
      await requireLifetime(sql, wanted.expiresAt, lifetimeDays);
      if (before.rotatedTo !== null && (wanted.expiresAt ?? '~') > (before.expiresAt ?? '~'))
        refuse('invalid_transition', `The key ${id} was rotated: its overlap can be shortened only.`);
    }
    return writeChange(sql, id, wanted, details, actor);
  });
}

type SettledChanges = Required<{ [Name in keyof KeyChanges]: Exclude<KeyChanges[Name], undefined> }>;

/** What will be otherwise, as the record has it; null: nothing. */
function differences(before: ApiKey, wanted: SettledChanges): Record<string, unknown> | null {
  const columns = { name: 'name', note: 'note', expiresAt: 'expires_at', allowedNetworks: 'allowed_networks' } as const;
  const changed = (Object.keys(columns) as (keyof typeof columns)[]).filter(
    (property) => JSON.stringify(before[property]) !== JSON.stringify(wanted[property]),
  );
  const of = (values: ApiKey | SettledChanges) =>
    Object.fromEntries(changed.map((property) => [columns[property], values[property]]));
  return changed.length === 0 ? null : { ...of(wanted), before: of(before) };
}

async function writeChange(
  sql: Sql,
  id: string,
  { name, note, expiresAt, allowedNetworks }: SettledChanges,
  details: Record<string, unknown>,
  actor: Actor,
): Promise<ApiKey> {
  const [changed] = await sql.query<ApiKey>({
    text: `with changed as (
        update api_keys set name = $2, note = $3, expires_at = $4, allowed_networks = $5::text[]::cidr[]
        where id = $1 returning *),
      event as (insert into key_events (key_id, actor, action, details) select id, $6, 'change', $7::jsonb from changed)
      select ${KEY_COLUMNS} from changed k join firms f on f.id = k.firm_id`,
    values: [id, name, note, expiresAt, allowedNetworks, actorText(actor), JSON.stringify(details)],
  });
  return changed ?? refuse('resource_not_found', `There is no key ${id}.`);
}

/** As they are stored: each network once, without the bits of an address beyond its mask. */
async function requireNetworks(sql: Sql, given: readonly string[]): Promise<string[]> {
  const networks = given.map((text) => {
    const network = readNetwork(text);
    if (network !== null) return network;
    const message = `"${text.slice(0, 60)}" is not an address or a CIDR range such as 203.0.113.0/24 or 2001:db8::/32.`;
    throw new Refusal('invalid_parameter', { param: 'allowed_networks', message });
  });
  const [row] = await sql.query<{ networks: string[] }>({
    text: `select array(select distinct network(n::inet) from unnest($1::text[]) n order by 1)::text[] as networks`,
    values: [networks],
  });
  const stored = row?.networks ?? [];
  if (stored.length <= MAX_NETWORKS) return stored;
  const message = `A key has at most ${MAX_NETWORKS} networks.`;
  throw new Refusal('invalid_parameter', { param: 'allowed_networks', message });
}

/** Judged by the database's clock. */
async function requireLifetime(sql: Sql, expiresAt: string | null, days: number | null): Promise<void> {
  if (days === null) return;
  const text = `select coalesce($1::timestamptz <= now_ms() + $2 * interval '1 day', false) as within`;
  const [row] = await sql.query<{ within: boolean }>({ text, values: [expiresAt, days] });
  if (row?.within === true) return;
  const message = `Keys end at most ${days} days after their expiry was set.`;
  throw new Refusal('invalid_parameter', { param: 'expires_at', message });
}

const secretValues = ({ hash, prefix, lastFour }: StoredSecret): unknown[] => [hash, prefix, lastFour];

function refuse(code: ErrorCode, message: string): never {
  throw new Refusal(code, { message });
}
