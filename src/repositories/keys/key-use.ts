// Repositories: when keys were last used; two gateways may tell of the same keys at once.
import type { Sql } from '#database/database.ts';

/** How exact "last used" is: a key in steady use is not written more often. */
const STEP = '1 second';

/**
 * Moves `last_used_at` forward, never back; `at` is RFC 3339 in UTC. Rows are locked in the order of their ids, so that two
 * calls never deadlock.
 */
export async function touchLastUsed(sql: Sql, uses: readonly { keyId: string; at: string }[]): Promise<void> {
  const latest = new Map<string, string>();
  for (const { keyId, at } of uses) if (at > (latest.get(keyId) ?? '')) latest.set(keyId, at);
  if (latest.size === 0) return;
  await sql.query({
    text: `
with due as (
  select k.id, latest.at from api_keys k join unnest($1::text[], $2::timestamptz[]) as latest(id, at) using (id)
  where k.last_used_at is null or k.last_used_at <= latest.at - interval '${STEP}'
  order by k.id for no key update of k)
update api_keys k set last_used_at = due.at from due where k.id = due.id`,
    values: [[...latest.keys()], [...latest.values()]],
    prepare: true,
  });
}
