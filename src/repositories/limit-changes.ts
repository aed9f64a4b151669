// Repositories: the record of overrides of limits: changes, and ends that came by themselves.
import type { QueryResultRow } from 'pg';
import type { Sql } from '#database/database.ts';
import type { NamedActor } from './accounts/actor-names.ts';

export interface LimitChange {
  at: string;
  actor: NamedActor;
  /** Null for changes from before reasons were required. */
  reason: string | null;
  /** When it was to end by itself. */
  endsAt: string | null;
  /** Whether this is the end of an override that ended by itself. */
  ended: boolean;
}

const SYSTEM = `json_build_object('kind', 'system', 'name', 'System')`;

/** SQL for reason and end of an override from the details of an event `e`. */
export const EVENT_OCCASION = `e.details ->> 'reason' as reason, (e.details ->> 'ends_at')::timestamptz(3) as ends_at`;

/**
 * Newest first, by the changed object. `changes` is SQL for the changes of one kind of limit with the columns id, "of"
 * (the changed object), at, actor, value, reason and ends_at. The end of an override that was not replaced before is a
 * row of its own, with a null `value`. It is derived from the record and the database's clock, so that it appears at
 * once and cannot be missed.
 */
export async function changesWithEnds<Change extends LimitChange & QueryResultRow, Of extends string = string>(
  sql: Sql,
  { changes, value }: { changes: string; value: string },
  values: readonly unknown[] = [],
): Promise<Map<Of, Change[]>> {
  const text = `with changes as (${changes}),
    followed as (select *, lead(at) over (partition by "of" order by id) as next_at from changes)
    select "of", at, actor, value as "${value}", reason, ends_at as "endsAt", false as ended, id from followed
    union all
    select "of", ends_at, ${SYSTEM}, null, reason, ends_at, true, id from followed
    where ends_at <= now_ms() and (next_at is null or next_at > ends_at)
    order by at desc, id desc`;
  const rows = await sql.query<Change & { of: Of }>({ text, values });
  return Map.groupBy(rows, ({ of }) => of);
}
