// Repositories: the record of acts of a firm's members and of operations at the firm.
import { type Actor, actorText } from '#core/actor.ts';
import { Bindings } from '#database/bindings.ts';
import type { Sql } from '#database/database.ts';
import { type NamedActor, namedActor } from '../accounts/actor-names.ts';
import type { Walk } from '../walk.ts';

/** The groups by which the firm's record can be filtered. */
export const FIRM_EVENT_GROUPS = ['members', 'keys', 'requests', 'settings'] as const;
type FirmEventGroup = (typeof FIRM_EVENT_GROUPS)[number];

/** Acts written to the firm's record directly. Triggers add those on keys and grants (Migration0029Teams). */
const FIRM_ACTS = {
  member_create: 'members',
  member_invite: 'members',
  member_invitation_withdraw: 'members',
  member_join: 'members',
  member_role: 'members',
  member_remove: 'members',
  factor_reset: 'members',
  second_factor_requirement: 'settings',
  limit: 'settings',
  identity: 'settings',
  test_client_create: 'settings',
  test_client_delete: 'settings',
} as const satisfies Record<string, FirmEventGroup>;

type FirmAct = keyof typeof FIRM_ACTS;

/** The group of an act. An unknown act, written by a newer release, counts as a setting. */
export function groupOf(action: string): FirmEventGroup {
  if (action.startsWith('key_')) return 'keys';
  if (action.startsWith('grant_')) return 'requests';
  return Object.hasOwn(FIRM_ACTS, action) ? FIRM_ACTS[action as FirmAct] : 'settings';
}

export interface NewFirmEvent {
  firmId: string;
  actor: Actor;
  action: FirmAct;
  /** Id of the object of the act; absent for the firm itself. */
  subject?: string;
  /**
   * Values that cannot be looked up later, such as the previous one. May contain names and addresses of members, but
   * nothing about clients.
   */
  details?: Record<string, unknown>;
}

/** Records the act; `sql` must be the transaction that performs it, so that both are committed together. */
export async function recordFirmEvent(
  sql: Sql,
  { firmId, actor, action, subject, details = {} }: NewFirmEvent,
): Promise<void> {
  const text = 'insert into firm_events (firm_id, actor, action, subject, details) values ($1, $2, $3, $4, $5)';
  await sql.query({ text, values: [firmId, actorText(actor), action, subject ?? null, JSON.stringify(details)] });
}

export interface FirmEvent {
  /** Id within the whole record. */
  id: string;
  at: string;
  actor: NamedActor;
  /** Set for members of the firm; null for other actors. */
  actorId: string | null;
  action: string;
  subject: string | null;
  details: Record<string, unknown>;
}

export interface FirmEventFilter {
  group: FirmEventGroup | null;
  /** RFC 3339; `until` is exclusive. */
  since: string | null;
  until: string | null;
}

const actsOf = (group: FirmEventGroup): string[] =>
  Object.entries(FIRM_ACTS).flatMap(([act, of]) => (of === group ? [act] : []));

/** Newest first; one row more than requested if there are more. */
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
  const text = `select e.id::text as id, e.at, ${namedActor('e.actor')} as actor, e.action, e.subject,
      -- Why operations set a limit or a tier is their own.
      case when e.action = 'factor_reset' then e.details else e.details - 'reason' end as details,
      substring(e.actor from '^(?:firm_member|member_as_test_client):(.*)$') as "actorId"
    from firm_events e where ${conditions.join(' and ')}
    order by e.at desc, e.id desc limit ${bindings.add(size + 1)}`;
  return sql.query<FirmEvent>({ text, values: bindings.values });
}
