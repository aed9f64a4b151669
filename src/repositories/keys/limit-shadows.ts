// Repositories: which limits are in shadow mode: since when, by whom and why.
import { type Actor, actorText } from '#core/actor.ts';
import { refuse } from '#core/errors.ts';
import { TIERS, type Tier } from '#core/tiers.ts';
import type { Sql } from '#database/database.ts';
import { namedOperator } from '../accounts/actor-names.ts';
import { type Occasion, requireOccasion } from '../input-checks.ts';
import { changesWithEnds, type LimitChange } from '../limit-changes.ts';

/** The limits of all keys of a tier, or of a key and its rotations. */
export type ShadowTarget = { tier: Tier } | { keyId: string };

export interface ShadowChange extends LimitChange {
  /** New mode; null if a change has ended by itself and the one before it applies again. */
  shadowed: boolean | null;
}

/** A limit that is in shadow mode, with the change that put it there. Either `tier` or `keyId` is null. */
export interface ShadowInForce extends Pick<LimitChange, 'at' | 'actor' | 'endsAt'> {
  reason: string;
  tier: Tier | null;
  /** The newest key of the lineage. */
  keyId: string | null;
  keyName: string | null;
}

/**
 * Sets or ends shadow mode of a limit; `reason` is one line. A change with an end applies until then, afterwards the
 * one before it. A key is also in shadow mode while its tier is. Takes effect with the next request on every gateway.
 * Only operators may do this.
 */
export async function setShadow(
  sql: Sql,
  target: ShadowTarget,
  { shadowed, ...occasion }: Occasion & { shadowed: boolean },
  actor: Actor,
): Promise<void> {
  if (actor.kind !== 'operator') refuse('forbidden', 'Only operators put limits in shadow mode.');
  await requireOccasion(sql, occasion);
  const entry = [shadowed, actorText(actor), occasion.reason, occasion.endsAt];
  if ('tier' in target) {
    const text = 'insert into limit_shadows (tier, shadowed, actor, reason, ends_at) values ($1, $2, $3, $4, $5)';
    await sql.query({ text, values: [target.tier, ...entry] });
    return;
  }
  const text = `insert into limit_shadows (lineage_id, shadowed, actor, reason, ends_at)
    select lineage_id, $2, $3, $4, $5 from api_keys where id = $1 returning id`;
  const added = await sql.query({ text, values: [target.keyId, ...entry] });
  if (added.length === 0) refuse('resource_not_found', `There is no key ${target.keyId}.`);
}

const CHANGE = `s.id, s.at, ${namedOperator('s.actor')} as actor, s.shadowed as value, s.reason, s.ends_at`;

/** Tiers first, then keys, each by the time of the change. */
export function listShadows(sql: Sql): Promise<ShadowInForce[]> {
  const text = `select s.tier, k.id as "keyId", k.name as "keyName", s.at, ${namedOperator('s.actor')} as actor, s.reason,
      s.ends_at as "endsAt"
    from (select distinct on (tier, lineage_id) * from limit_shadows
      where ends_at is null or ends_at > now_ms() order by tier, lineage_id, id desc) s
    left join api_keys k on k.lineage_id = s.lineage_id and k.rotated_to is null
    where s.shadowed order by s.tier is null, s.at, s.id`;
  return sql.query<ShadowInForce>({ text });
}

/** Changes of the mode of the keys' lineages, newest first, by the given keys. */
export function keyShadowChanges(sql: Sql, keyIds: readonly string[]): Promise<Map<string, ShadowChange[]>> {
  const changes = `select k.id as "of", ${CHANGE} from api_keys k join limit_shadows s on s.lineage_id = k.lineage_id
    where k.id = any($1)`;
  return changesWithEnds(sql, { changes, value: 'shadowed' }, [keyIds]);
}

export interface TierShadow {
  tier: Tier;
  shadowed: boolean;
  /** When the mode ends by itself. */
  endsAt: string | null;
  /** Newest first. */
  history: ShadowChange[];
}

/** All tiers, in their order. */
export async function tierShadows(sql: Sql): Promise<TierShadow[]> {
  const changes = `select s.tier as "of", ${CHANGE} from limit_shadows s where s.tier is not null`;
  const [history, inForce] = await Promise.all([
    changesWithEnds<ShadowChange, Tier>(sql, { changes, value: 'shadowed' }),
    listShadows(sql),
  ]);
  return TIERS.map((tier) => {
    const now = inForce.find((one) => one.tier === tier);
    return { tier, shadowed: now !== undefined, endsAt: now?.endsAt ?? null, history: history.get(tier) ?? [] };
  });
}
