// Repositories: the record of overrides of limits: each change, and each end that came by itself.
import type { QueryResultRow } from 'pg';
import type { Sql } from '#database/database.ts';
import type { NamedActor } from './accounts/actor-names.ts';

export interface LimitChange {
  at: string;
  actor: NamedActor;
  /** Null where none was asked for yet. */
  reason: string | null;
  /** When it was to end by itself. */
  endsAt: string | null;
  /** An override ended here by itself. */
  ended: boolean;
}

const SYSTEM = `json_build_object('kind', 'system', 'name', 'System')`;

/** SQL of the reason and the end that an event `e` has in its details. */
export const EVENT_OCCASION = `e.details ->> 'reason' as reason, (e.details ->> 'ends_at')::timestamptz(3) as ends_at`;

/**
 * Newest first, by what was changed. `changes` are those of one kind of limit: id, "of" (what was changed), at, actor, value, reason,
 * ends_at. The end of one that nothing had replaced until then is a row of its own, which has `value` null: it follows from the
 * record and the database's clock, so it is there at once and cannot be missed.
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
