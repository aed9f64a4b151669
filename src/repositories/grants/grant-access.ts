// Repositories: whether an actor may change a grant, or the grants of a pair of key and client.
import type { Actor } from '#core/actor.ts';
import { refuse } from '#core/errors.ts';
import type { Sql } from '#database/database.ts';
import { accessCondition } from '../access-condition.ts';
import { GRANT_KEY, IS_PRESENT } from '../status-sql.ts';
import { GRANT_COLUMNS, type Grant } from './grant-queries.ts';

export interface Pair {
  lineageId: string;
  clientId: string;
}

/** Whether the firm of the key `k` may deal with the client `u`: a test client is reserved to the firm that made it. */
const VISIBLE_TO_FIRM = `(${IS_PRESENT} and (u.test_firm_id is null or u.test_firm_id = k.firm_id))`;

/**
 * For the insertion of a grant: locks its parties until the transaction ends, the lineage's keys (`$2`) that are not
 * revoked, and the client (`$3`) if present. So the end of a firm, an erasure and the deletion of a test client either
 * find the grant, or are found by this.
 */
export const LOCKED_PARTIES = `usable as (
    select k.id from api_keys k where k.lineage_id = $2 and k.revoked_at is null order by k.id for share),
  present as (select u.id from users u where u.id = $3 and ${IS_PRESENT} for key share)`;

/** All are read, and thereby locked. */
export const ANY_USABLE = '(select count(*) from usable) > 0';

export async function requireGrantAccess(sql: Sql, id: string, actor: Actor): Promise<Grant> {
  const condition = accessCondition({ actorKind: '$2', actorId: '$3', firm: 'k.firm_id', client: 'g.client_id' });
  const text = `select ${GRANT_COLUMNS} from grants g ${GRANT_KEY} where g.id = $1 and ${condition}`;
  const [grant] = await sql.query<Grant>({ text, values: [id, actor.kind, actor.id] });
  return grant ?? refuse('resource_not_found', `There is no grant ${id}.`);
}

/**
 * The firm's key, and the client of its environment with this id or e-mail address, if any. No response to the firm may
 * depend on whether there is such a client.
 */
export async function findAddressee(
  sql: Sql,
  { keyId, client }: { keyId: string; client: string },
  actor: Actor,
): Promise<{ lineageId: string; firmId: string; clientId: string | null }> {
  const [row] = await sql.query<{ lineageId: string; firmId: string; clientId: string | null }>({
    text: `select k.lineage_id as "lineageId", k.firm_id as "firmId", u.id as "clientId"
      from api_keys k left join users u on u.role = 'client' and u.environment = k.environment
        and ${VISIBLE_TO_FIRM} and (u.id = $2 or lower(u.email) = lower($2))
      where k.id = $1 and ${accessCondition({ actorKind: '$3', actorId: '$4', firm: 'k.firm_id' })}`,
    values: [keyId, client, actor.kind, actor.id],
  });
  return row ?? refuse('resource_not_found', `There is no key ${keyId}.`);
}

/** A client of the other environment is treated as unknown. */
export async function requirePairAccess(
  sql: Sql,
  { keyId, clientId }: { keyId: string; clientId: string },
  actor: Actor,
): Promise<Pair> {
  const [row] = await sql.query<{ lineageId: string; environment: string; clientId: string | null }>({
    text: `select k.lineage_id as "lineageId", k.environment, u.id as "clientId"
      from api_keys k left join users u on u.id = $2 and u.role = 'client' and u.environment = k.environment
        and ${VISIBLE_TO_FIRM}
      where k.id = $1 and ${accessCondition({ actorKind: '$3', actorId: '$4', firm: 'k.firm_id', client: '$2' })}`,
    values: [keyId, clientId, actor.kind, actor.id],
  });
  if (row === undefined) refuse('resource_not_found', `There is no key ${keyId}.`);
  if (row.clientId === null)
    refuse('resource_not_found', `There is no client ${clientId} in the key's environment (${row.environment}).`);
  return { lineageId: row.lineageId, clientId: row.clientId };
}
