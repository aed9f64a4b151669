// Repositories: whether an actor may change a firm's keys.
import type { Actor } from '#core/actor.ts';
import { Refusal, refuse } from '#core/errors.ts';
import type { Sql } from '#database/database.ts';
import { accessCondition } from '../access-condition.ts';
import { PLAN_ACTIVE } from '../status-sql.ts';
import { type ApiKey, KEY_COLUMNS } from './key-queries.ts';

/** Requires the firm's lock. */
export async function requireActivePlan(sql: Sql, firmId: string): Promise<void> {
  const text = `select ${PLAN_ACTIVE} as entitled from firms f where f.id = $1`;
  const [firm] = await sql.query<{ entitled: boolean }>({ text, values: [firmId] });
  if (firm?.entitled !== true) throw new Refusal('plan_inactive');
}

export async function requireKeyAccess(sql: Sql, id: string, actor: Actor): Promise<ApiKey> {
  const text = `select ${KEY_COLUMNS} from api_keys k join firms f on f.id = k.firm_id
    where k.id = $1 and ${accessCondition({ actorKind: '$2', actorId: '$3', firm: 'k.firm_id' })}`;
  const [key] = await sql.query<ApiKey>({ text, values: [id, actor.kind, actor.id] });
  return key ?? refuse('resource_not_found', `There is no key ${id}.`);
}
