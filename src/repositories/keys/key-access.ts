// Repositories: whether an actor may change a firm's keys.
import type { Actor } from '#core/actor.ts';
import { Refusal, refuse } from '#core/errors.ts';
import type { Sql } from '#database/database.ts';
import { accessCondition } from '../access-condition.ts';
import { PLAN_ACTIVE } from '../status-sql.ts';
import { type ApiKey, KEY_COLUMNS } from './key-queries.ts';

/** Locks the firm until the transaction ends, so that the creation of its keys is serialised. */
export async function requireActivePlan(sql: Sql, firmId: string, actor: Actor): Promise<void> {
  const [firm] = await sql.query<{ entitled: boolean }>({
    text: `select ${PLAN_ACTIVE} as entitled from firms f
      where f.id = $1 and ${accessCondition({ actorKind: '$2', actorId: '$3', firm: 'f.id' })}
      for no key update`,
    values: [firmId, actor.kind, actor.id],
  });
  if (firm === undefined) refuse('resource_not_found', `There is no firm ${firmId}.`);
  if (!firm.entitled) throw new Refusal('plan_inactive');
}

export async function requireKeyAccess(sql: Sql, id: string, actor: Actor): Promise<ApiKey> {
  const [key] = await sql.query<ApiKey>({
    text: `select ${KEY_COLUMNS} from api_keys k join firms f on f.id = k.firm_id
      where k.id = $1 and ${accessCondition({ actorKind: '$2', actorId: '$3', firm: 'k.firm_id' })}`,
    values: [id, actor.kind, actor.id],
  });
  return key ?? refuse('resource_not_found', `There is no key ${id}.`);
}
