// Repositories: the events of grants, with names.
import type { Sql } from '#database/database.ts';
import type { Walk } from '../access-record/pages.ts';
import { type NamedActor, namedActor } from '../accounts/actor-names.ts';
import { Bindings } from '../assets/asset-sql.ts';
import type { GrantEvent } from './grant-queries.ts';

export interface NamedGrantEvent extends Omit<GrantEvent, 'actor'> {
  /** Ascends with every event of the deployment. */
  id: string;
  actor: NamedActor;
  grantId: string;
  clientId: string | null;
  firmId: string;
  firmName: string;
  keyId: string;
  keyName: string;
}

const EVENTS = `select e.id::text as id, e.at, ${namedActor('e.actor')} as actor, e.action, e.details,
  e.grant_id as "grantId", g.client_id as "clientId", f.id as "firmId", f.name as "firmName", k.id as "keyId",
  k.name as "keyName"
from grant_events e join grants g on g.id = e.grant_id
join api_keys k on k.lineage_id = g.lineage_id and k.rotated_to is null join firms f on f.id = k.firm_id`;

/** Of these grants, newest first, by grant. The caller's access to the grants was checked before. */
export async function grantEvents(sql: Sql, grantIds: readonly string[]): Promise<Map<string, NamedGrantEvent[]>> {
  const text = `${EVENTS} where e.grant_id = any($1) order by e.id desc`;
  const rows = await sql.query<NamedGrantEvent>({ text, values: [grantIds] });
  return Map.groupBy(rows, ({ grantId }) => grantId);
}

/** Of all grants of a client, newest first; one row more than asked tells of others. `after` is an id. */
export function listClientGrantEvents(
  sql: Sql,
  clientId: string,
  { firmId }: { firmId: string | null },
  { size, after }: Walk,
): Promise<NamedGrantEvent[]> {
  const bindings = new Bindings();
  const conditions = [`g.client_id = ${bindings.add(clientId)}`];
  if (firmId !== null) conditions.push(`k.firm_id = ${bindings.add(firmId)}`);
  if (after?.[0] !== undefined) conditions.push(`e.id < ${bindings.add(after[0])}::bigint`);
  return sql.query<NamedGrantEvent>({
    text: `${EVENTS} where ${conditions.join(' and ')} order by e.id desc limit ${bindings.add(size + 1)}`,
    values: bindings.values,
  });
}
