// Repositories: which limits are in shadow mode, since when, by whom and why.
import { type Actor, actorText } from '#core/actor.ts';
import { type ErrorCode, Refusal } from '#core/errors.ts';
import { TIERS, type Tier } from '#core/tiers.ts';
import type { Sql } from '#database/database.ts';
import { type NamedActor, namedOperator } from '../accounts/actor-names.ts';
import { requireName } from '../input-checks.ts';

/** The limits of all keys of a tier, or that of a key and its rotations. */
export type ShadowTarget = { tier: Tier } | { keyId: string };

export interface ShadowChange {
  shadowed: boolean;
  at: string;
  actor: NamedActor;
  reason: string;
}

/** A limit that is in shadow mode now, with the change that put it there; one of `tier` and `keyId` is null. */
export interface ShadowInForce extends ShadowChange {
  tier: Tier | null;
  /** The newest key of the chain of rotations. */
  keyId: string | null;
  keyName: string | null;
}

/**
 * Puts a limit in shadow mode or ends that; `reason` is one line. A key is also in it while its tier is. Counts from the next
 * request on, on every gateway. Only operators may.
 */
export async function setShadow(
  sql: Sql,
  target: ShadowTarget,
  { shadowed, reason }: { shadowed: boolean; reason: string },
  actor: Actor,
): Promise<void> {
  if (actor.kind !== 'operator') refuse('forbidden', 'Only operators put limits in shadow mode.');
  const said = [shadowed, actorText(actor), requireName(reason, 'reason')];
  if ('tier' in target) {
    const text = 'insert into limit_shadows (tier, shadowed, actor, reason) values ($1, $2, $3, $4)';
    await sql.query({ text, values: [target.tier, ...said] });
    return;
  }
  const added = await sql.query({
    text: `insert into limit_shadows (lineage_id, shadowed, actor, reason)
      select lineage_id, $2, $3, $4 from api_keys where id = $1 returning id`,
    values: [target.keyId, ...said],
  });
  if (added.length === 0) refuse('resource_not_found', `There is no key ${target.keyId}.`);
}

const CHANGE = `s.shadowed, s.at, ${namedOperator('s.actor')} as actor, s.reason`;

/** Tiers first, then keys, each by when it was put there. */
export function listShadows(sql: Sql): Promise<ShadowInForce[]> {
  return sql.query<ShadowInForce>({
    text: `select s.tier, k.id as "keyId", k.name as "keyName", ${CHANGE}
      from (select distinct on (tier, lineage_id) * from limit_shadows order by tier, lineage_id, id desc) s
      left join lateral (
        select id, name from api_keys where lineage_id = s.lineage_id order by created_at desc, id desc limit 1) k on true
      where s.shadowed order by s.tier is null, s.at, s.id`,
  });
}

/** Changes of the mode of the keys and the keys they came from or became, newest first, by key asked for. */
export async function keyShadowChanges(sql: Sql, keyIds: readonly string[]): Promise<Map<string, ShadowChange[]>> {
  const rows = await sql.query<ShadowChange & { asked: string }>({
    text: `select k.id as asked, ${CHANGE} from api_keys k join limit_shadows s on s.lineage_id = k.lineage_id
      where k.id = any($1) order by s.id desc`,
    values: [keyIds],
  });
  return Map.groupBy(rows, ({ asked }) => asked);
}

export interface TierShadow {
  tier: Tier;
  shadowed: boolean;
  /** Newest first. */
  history: ShadowChange[];
}

/** Of every tier, in their order. */
export async function tierShadows(sql: Sql): Promise<TierShadow[]> {
  const rows = await sql.query<ShadowChange & { tier: Tier }>({
    text: `select s.tier, ${CHANGE} from limit_shadows s where s.tier is not null order by s.id desc`,
  });
  const changes = Map.groupBy(rows, ({ tier }) => tier);
  return TIERS.map((tier) => {
    const history = changes.get(tier) ?? [];
    return { tier, shadowed: history[0]?.shadowed ?? false, history };
  });
}

function refuse(code: ErrorCode, message: string): never {
  throw new Refusal(code, { message });
}
