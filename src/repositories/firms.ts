// Repositories: firms and their contracts.

import { type Actor, actorText } from '#core/actor.ts';
import { Refusal } from '#core/errors.ts';
import { type FirmTier, MAX_FIRM_LIMIT } from '#core/tiers.ts';
import type { Sql } from '#database/database.ts';
import { type NamedActor, namedActor, namedOperator } from './accounts/actor-names.ts';
import { givenOrNewId, requireName } from './input-checks.ts';

export const FIRM_PLANS = ['enterprise', 'none'] as const;
export type FirmPlan = (typeof FIRM_PLANS)[number];

export interface Firm {
  id: string;
  name: string;
  plan: FirmPlan;
  planActive: boolean;
  tier: FirmTier;
  /** Requests per 60 s of all its keys together; null: only the keys' own limits. */
  requestLimit: number | null;
  createdAt: string;
}

export interface NewFirm {
  /** Absent: a new one. */
  id?: string | undefined;
  name: string;
  plan: FirmPlan;
  planActive: boolean;
  tier: FirmTier;
}

const COLUMNS =
  'id, name, plan, plan_active as "planActive", tier, request_limit as "requestLimit", created_at as "createdAt"';

export async function createFirm(sql: Sql, firm: NewFirm): Promise<Firm> {
  const id = givenOrNewId('firm', firm.id);
  const [created] = await sql.query<Firm>({
    text: `insert into firms (id, name, plan, plan_active, tier) values ($1, $2, $3, $4, $5)
      on conflict do nothing returning ${COLUMNS}`,
    values: [id, requireName(firm.name, 'name'), firm.plan, firm.planActive, firm.tier],
  });
  if (created === undefined) throw new Refusal('already_exists', { message: `There is already a firm ${id}.` });
  return created;
}

/** Sets the limit of all keys of a firm together, which holds besides their own; null removes it. Only operators may. */
export async function setFirmLimit(sql: Sql, id: string, limit: number | null, actor: Actor): Promise<Firm> {
  if (actor.kind !== 'operator') throw new Refusal('forbidden', { message: 'Only operators limit a firm.' });
  if (limit !== null && !(Number.isInteger(limit) && limit >= 1 && limit <= MAX_FIRM_LIMIT))
    throw new Refusal('invalid_parameter', { message: `A limit is a whole number from 1 to ${MAX_FIRM_LIMIT}.` });
  const [changed] = await sql.query<Firm>({
    text: `with changed as (update firms set request_limit = $2 where id = $1 returning *),
      event as (insert into firm_events (firm_id, actor, action, details)
        select id, $3, 'limit', jsonb_build_object('limit', $2::integer) from changed)
      select ${COLUMNS} from changed`,
    values: [id, limit, actorText(actor)],
  });
  if (changed === undefined) throw new Refusal('resource_not_found', { message: `There is no firm ${id}.` });
  return changed;
}

export interface FirmLimitChange {
  at: string;
  actor: NamedActor;
  /** Requests per 60 s; null: no limit from then on. */
  limit: number | null;
}

/** Changes of the firms' limits, newest first, by firm: as the firms may know who made them. */
export const firmLimitChanges = limitChanges(namedActor);
/** The same as operations may. */
export const firmLimitChangesNamed = limitChanges(namedOperator);

function limitChanges(named: (column: string) => string) {
  return async (sql: Sql, firmIds: readonly string[]): Promise<Map<string, FirmLimitChange[]>> => {
    const rows = await sql.query<FirmLimitChange & { firmId: string }>({
      text: `select e.firm_id as "firmId", e.at, ${named('e.actor')} as actor, (e.details ->> 'limit')::integer as limit
        from firm_events e where e.firm_id = any($1) and e.action = 'limit' order by e.id desc`,
      values: [firmIds],
    });
    return Map.groupBy(rows, ({ firmId }) => firmId);
  };
}
