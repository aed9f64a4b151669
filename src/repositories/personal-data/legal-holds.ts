// Repositories: legal holds, which prevent the erasure of a person.
import { type Actor, actorText } from '#core/actor.ts';
import { refuse } from '#core/errors.ts';
import type { Sql, Transactions } from '#database/database.ts';
import { hasRows } from '#database/rows.ts';
import { lockImports } from '../import-lock.ts';
import { requireFuture, requireReason } from '../input-checks.ts';

export interface LegalHold {
  id: number;
  reason: string;
  /** `kind:id`. */
  placedBy: string;
  placedAt: string;
  /** Null if it lasts until it is released. */
  endsAt: string | null;
}

/** For a statement in which `h` is a hold. */
export const HOLD_IN_FORCE = '(h.released_at is null and (h.ends_at is null or h.ends_at > now_ms()))';

/** Holds in force, oldest first. */
export function listHolds(sql: Sql, userId: string): Promise<LegalHold[]> {
  const text = `select id, reason, placed_by as "placedBy", placed_at as "placedAt", ends_at as "endsAt"
    from legal_holds h where h.user_id = $1 and ${HOLD_IN_FORCE} order by id`;
  return sql.query<LegalHold>({ text, values: [userId] });
}

/** Throws Refusal `resource_not_found`, also for an erased person, and `invalid_parameter`. */
export async function placeHold(
  database: Transactions,
  userId: string,
  { reason, endsAt }: { reason: string; endsAt: string | null },
  actor: Actor,
): Promise<void> {
  await database.transaction(async (sql) => {
    await requireFuture(sql, endsAt);
    // Imports and erasures check for holds before they delete.
    await lockImports(sql);
    const text = `insert into legal_holds (user_id, reason, placed_by, ends_at)
      select id, $2, $3, $4 from users u where id = $1 and not exists (select from erased_subjects e where e.id = u.id) returning 1`;
    if (!(await hasRows(sql, { text, values: [userId, requireReason(reason), actorText(actor), endsAt] })))
      refuse('resource_not_found', `There is no user ${userId}.`);
  });
}

/** Releases all holds in force. Returns how many there were. */
export async function releaseHolds(sql: Sql, userId: string, actor: Actor): Promise<number> {
  const text = `update legal_holds h set released_at = now_ms(), released_by = $2
    where h.user_id = $1 and ${HOLD_IN_FORCE} returning 1`;
  const released = await sql.query({ text, values: [userId, actorText(actor)] });
  return released.length;
}

/** Throws Refusal `invalid_transition` if a hold is in force. */
export async function requireNoHold(sql: Sql, userId: string): Promise<void> {
  const [hold] = await listHolds(sql, userId);
  if (hold === undefined) return;
  const until = hold.endsAt === null ? 'until it is released' : `until ${hold.endsAt}`;
  refuse('invalid_transition', `${userId} is under a legal hold ${until} (${hold.reason}) and cannot be erased.`);
}
