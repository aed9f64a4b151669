// Repositories: firms and their contracts.

import { type Actor, actorText } from '#core/actor.ts';
import { Refusal, refuse } from '#core/errors.ts';
import { FIRM_ROLES, type FirmRole } from '#core/firm-roles.ts';
import { type FirmTier, LASTING, MAX_FIRM_LIMIT } from '#core/tiers.ts';
import type { Sql } from '#database/database.ts';
import { findValue, hasRows } from '#database/rows.ts';
import { namedOperator } from './accounts/actor-names.ts';
import { givenOrNewId, type Occasion, requireName, requireOccasion } from './input-checks.ts';
import { changesWithEnds, EVENT_OCCASION, type LimitChange } from './limit-changes.ts';
import { FIRM_LIMIT, FIRM_LIMIT_ENDS, IS_MEMBER } from './status-sql.ts';

export const FIRM_PLANS = ['enterprise', 'none'] as const;
export type FirmPlan = (typeof FIRM_PLANS)[number];

export interface Firm {
  id: string;
  name: string;
  plan: FirmPlan;
  planActive: boolean;
  tier: FirmTier;
  /** Requests per 60 s of all its keys together; null if only the keys' own limits apply. */
  requestLimit: number | null;
  /** When this limit ends by itself, and the last one set without an end applies again. */
  requestLimitEndsAt: string | null;
  createdAt: string;
}

export interface NewFirm extends Pick<Firm, 'name' | 'plan' | 'planActive' | 'tier'> {
  /** Absent for a generated id. */
  id?: string | undefined;
}

const COLUMNS =
  `f.id, f.name, f.plan, f.plan_active as "planActive", f.tier, ${FIRM_LIMIT} as "requestLimit", ` +
  `${FIRM_LIMIT_ENDS} as "requestLimitEndsAt", f.created_at as "createdAt"`;

export async function createFirm(sql: Sql, firm: NewFirm): Promise<Firm> {
  const id = givenOrNewId('firm', firm.id);
  const [created] = await sql.query<Firm>({
    text: `insert into firms as f (id, name, plan, plan_active, tier) values ($1, $2, $3, $4, $5)
      on conflict do nothing returning ${COLUMNS}`,
    values: [id, requireName(firm.name, 'name'), firm.plan, firm.planActive, firm.tier],
  });
  return created ?? refuse('already_exists', `There is already a firm ${id}.`);
}

/** Locks the firm until the transaction ends, so that operations on it are serialised. Returns whether it exists. */
export function lockFirm(sql: Sql, id: string): Promise<boolean> {
  return hasRows(sql, { text: 'select from firms where id = $1 for no key update', values: [id] });
}

/**
 * Locks the firm until the transaction ends, so that changes of its members, keys and details are serialised, and then
 * reads the actor's role, which may have changed during the wait. Throws Refusal `forbidden` if a member has neither
 * this role nor a more privileged one, `resource_not_found` if the actor has no access to the firm.
 */
export async function lockFirmFor(
  sql: Sql,
  firmId: string,
  actor: Actor,
  least: 'administrator' | 'developer',
): Promise<void> {
  const found = await lockFirm(sql, firmId);
  const role = found ? await roleIn(sql, firmId, actor) : null;
  if (role === null) refuse('resource_not_found', `There is no firm ${firmId}.`);
  if (FIRM_ROLES.indexOf(role) > FIRM_ROLES.indexOf(least)) throw new Refusal('forbidden');
}

/** Operators and the system may do what administrators may. Null for other firms' members, removed ones and clients. */
async function roleIn(sql: Sql, firmId: string, { kind, id }: Actor): Promise<FirmRole | null> {
  if (kind === 'operator' || kind === 'system') return 'administrator';
  if (kind !== 'firm_member') return null;
  const text = `select m.firm_role as role from users m where m.id = $1 and m.firm_id = $2 and ${IS_MEMBER}`;
  return findValue<FirmRole>(sql, { text, values: [id, firmId] });
}

/**
 * Sets the limit of all keys of a firm together, which applies in addition to their own; null removes it, and LASTING
 * only one with an end. A limit with an end applies until then; afterwards the last limit set without an end applies
 * again. Only operators may do this.
 */
export async function setFirmLimit(
  sql: Sql,
  id: string,
  { limit: given, ...occasion }: Occasion & { limit: number | typeof LASTING | null },
  actor: Actor,
): Promise<Firm> {
  if (actor.kind !== 'operator') refuse('forbidden', 'Only operators limit a firm.');
  const limit = given === LASTING ? null : given;
  if (limit !== null && !(Number.isInteger(limit) && limit >= 1 && limit <= MAX_FIRM_LIMIT))
    refuse('invalid_parameter', `A limit is a whole number from 1 to ${MAX_FIRM_LIMIT}.`);
  const { reason, endsAt } = occasion;
  if (limit === null && endsAt !== null) refuse('invalid_parameter', 'Only a limit can have an expiry.');
  await requireOccasion(sql, occasion);
  const text = `with changed as (update firms set request_limit = case when $5::timestamptz is null and not $6 then $2 else request_limit end
      where id = $1 returning *),
    brief as (insert into brief_limits (firm_id, per_minute, ends_at)
      select id, case when $5::timestamptz is not null then $2::integer end, $5 from changed)
    insert into firm_events (firm_id, actor, action, details)
      select id, $3, 'limit', jsonb_build_object('limit', case when $6 then request_limit else $2::integer end, 'reason', $4::text, 'ends_at', $5::timestamptz) from changed`;
  await sql.query({ text, values: [id, limit, actorText(actor), reason, endsAt, given === LASTING] });
  // Read separately: a statement does not see the rows that it adds.
  const [changed] = await sql.query<Firm>({ text: `select ${COLUMNS} from firms f where f.id = $1`, values: [id] });
  return changed ?? refuse('resource_not_found', `There is no firm ${id}.`);
}

export interface FirmLimitChange extends LimitChange {
  /**
   * Requests per 60 s. Null if the limit was removed, or if a limit has ended and the one set without an end applies
   * again.
   */
  limit: number | null;
}

/** Changes of the firms' limits, newest first, by firm, with actors named for operations. */
export function firmLimitChanges(sql: Sql, firmIds: readonly string[]): Promise<Map<string, FirmLimitChange[]>> {
  const changes = `select e.id, e.firm_id as "of", e.at, ${namedOperator('e.actor')} as actor, (e.details ->> 'limit')::integer as value,
      ${EVENT_OCCASION}
    from firm_events e where e.firm_id = any($1) and e.action = 'limit'`;
  return changesWithEnds<FirmLimitChange>(sql, { changes, value: 'limit' }, [firmIds]);
}
