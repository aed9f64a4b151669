// Repositories: the events of grants, with the names of firms and keys.
import type { GrantTransition } from '#core/grant-lifecycle.ts';
import { Bindings } from '#database/bindings.ts';
import type { Sql } from '#database/database.ts';
import { type NamedActor, namedActor } from '../accounts/actor-names.ts';
import { GRANT_KEY } from '../status-sql.ts';
import type { Walk } from '../walk.ts';

export interface NamedGrantEvent {
  /** Ascending across the whole deployment. */
  id: string;
  at: string;
  actor: NamedActor;
  action: GrantTransition;
  details: Record<string, unknown>;
  grantId: string;
  clientId: string | null;
  firmId: string;
  firmName: string;
  /** The newest key of the lineage at the time of the event, with its name at that time. */
  keyId: string;
  keyName: string;
}

/** The key `c` at the time of the event `e`; the first of its lineage if the event is dated before all keys. */
const KEY_THEN = `cross join lateral (
    select id, name from api_keys where lineage_id = g.lineage_id and (created_at <= e.at or id = lineage_id)
    order by created_at desc, id desc limit 1) c`;

/** The next renaming records the name before it. */
const NAME_THEN = `coalesce((select n.details -> 'before' ->> 'name' from key_events n
    where n.key_id = c.id and n.action = 'change' and n.details ? 'name' and n.at > e.at order by n.id limit 1), c.name)`;

const EVENTS = `select e.id::text as id, e.at, ${namedActor('e.actor')} as actor, e.action, e.details,
  e.grant_id as "grantId", g.client_id as "clientId", f.id as "firmId", f.name as "firmName", c.id as "keyId",
  ${NAME_THEN} as "keyName"
from grant_events e join grants g on g.id = e.grant_id
${GRANT_KEY} join firms f on f.id = k.firm_id ${KEY_THEN}`;

/** Events of these grants, newest first, by grant. Access to the grants must have been checked before. */
export async function grantEvents(sql: Sql, grantIds: readonly string[]): Promise<Map<string, NamedGrantEvent[]>> {
  const text = `${EVENTS} where e.grant_id = any($1) order by e.id desc`;
  const rows = await sql.query<NamedGrantEvent>({ text, values: [grantIds] });
  return Map.groupBy(rows, ({ grantId }) => grantId);
}

/**
 * Events of all grants of a client, newest first by their time: an expiry may be recorded long after it. One row more
 * than requested if there are more. `after` is a time and an id.
 */
export function listClientGrantEvents(
  sql: Sql,
  clientId: string,
  firmId: string | null,
  { size, after }: Walk,
): Promise<NamedGrantEvent[]> {
  const bindings = new Bindings();
  const conditions = [`g.client_id = ${bindings.add(clientId)}`];
  if (firmId !== null) conditions.push(`k.firm_id = ${bindings.add(firmId)}`);
  if (after !== null)
    conditions.push(`(e.at, e.id) < (${bindings.add(after[0])}::timestamptz, ${bindings.add(after[1])}::bigint)`);
  const text = `${EVENTS} where ${conditions.join(' and ')} order by e.at desc, e.id desc limit ${bindings.add(size + 1)}`;
  return sql.query<NamedGrantEvent>({ text, values: bindings.values });
}

export interface ConsentFirm {
  firmId: string;
  firmName: string;
}

/** Every firm that has, had or requested a grant of the client, by name. */
export function listConsentFirms(sql: Sql, clientId: string): Promise<ConsentFirm[]> {
  const text = `select id as "firmId", name as "firmName" from firms
    where id in (select k.firm_id from grants g join api_keys k on k.id = g.lineage_id where g.client_id = $1)
    order by name, id`;
  return sql.query<ConsentFirm>({ text, values: [clientId] });
}
