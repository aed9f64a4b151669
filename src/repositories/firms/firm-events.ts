// Repositories: the record of what a firm's members, and operations, did at the firm.
import { type Actor, actorText } from '#core/actor.ts';
import { FIRM_ACTS, type FirmAct, type FirmEventGroup } from '#core/firm-events.ts';
import { Bindings } from '#database/bindings.ts';
import type { Sql } from '#database/database.ts';
import type { Walk } from '../access-record/pages.ts';
import { type NamedActor, namedActor } from '../accounts/actor-names.ts';

export interface NewFirmEvent {
  firmId: string;
  actor: Actor;
  action: FirmAct;
  /** Id of what it was done to; absent: the firm itself. */
  subject?: string;
  /** What cannot be read any more later, such as the value before. Names and addresses of members may be in it, nothing of clients. */
  details?: Record<string, unknown>;
}

/** Writes the act; `sql` is the transaction that does it, so that neither is there without the other. */
export async function recordFirmEvent(
  sql: Sql,
  { firmId, actor, action, subject, details = {} }: NewFirmEvent,
): Promise<void> {
  await sql.query({
    text: 'insert into firm_events (firm_id, actor, action, subject, details) values ($1, $2, $3, $4, $5)',
    values: [firmId, actorText(actor), action, subject ?? null, JSON.stringify(details)],
  });
}

export interface FirmEvent {
  /** Of the whole record. */
  id: string;
  at: string;
  actor: NamedActor;
  /** Of a firm's member; null of others. */
  actorId: string | null;
  action: string;
  subject: string | null;
  details: Record<string, unknown>;
}

export interface FirmEventFilter {
  group: FirmEventGroup | null;
  /** RFC 3339; `until` is not included. */
  since: string | null;
  until: string | null;
}

const actsOf = (group: FirmEventGroup): string[] =>
  Object.entries(FIRM_ACTS).flatMap(([act, of]) => (of === group ? [act] : []));

/** Newest first; one row more than asked tells of others. */
export function listFirmEvents(
  sql: Sql,
  firmId: string,
  { group, since, until }: FirmEventFilter,
  { size, after }: Walk,
): Promise<FirmEvent[]> {
  const bindings = new Bindings();
  const conditions = [`e.firm_id = ${bindings.add(firmId)}`];
  if (group === 'keys' || group === 'requests')
    conditions.push(`starts_with(e.action, ${bindings.add(group === 'keys' ? 'key_' : 'grant_')})`);
  else if (group !== null) conditions.push(`e.action = any(${bindings.add(actsOf(group))})`);
  if (since !== null) conditions.push(`e.at >= ${bindings.add(since)}::timestamptz`);
  if (until !== null) conditions.push(`e.at < ${bindings.add(until)}::timestamptz`);
  if (after !== null)
    conditions.push(`(e.at, e.id) < (${bindings.add(after[0])}::timestamptz, ${bindings.add(after[1])}::bigint)`);
  return sql.query<FirmEvent>({
    text: `select e.id::text as id, e.at, ${namedActor('e.actor')} as actor, e.action, e.subject,
        -- Why operations set a limit or a tier is their own.
        case when e.action = 'factor_reset' then e.details else e.details - 'reason' end as details,
        substring(e.actor from '^(?:firm_member|member_as_test_client):(.*)$') as "actorId"
      from firm_events e where ${conditions.join(' and ')}
      order by e.at desc, e.id desc limit ${bindings.add(size + 1)}`,
    values: bindings.values,
  });
}
