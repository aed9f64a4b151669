// Repositories: when keys were last used; two gateways may tell of the same keys at once.
import { LRUCache } from 'lru-cache';
import type { Sql } from '#database/database.ts';

/** A gateway tells of a key in steady use this often; what another one wrote just before is enough. So it is exact to a minute. */
const TOLD_EVERY_MS = 55_000;
/** With it go others that would be due before long, so that keys in steady use come together. */
const SOON_DUE_MS = 30_000;
const STEP_MS = 5_000;
const MAX_TOLD = 10_000;

export type KeyUse = { keyId: string; at: string };

/** Tells of uses, but not of each: writing one costs as much as several calls. Keys that somebody is changing are told of the next time. */
export function tellingUses(): (sql: Sql, uses: readonly KeyUse[]) => Promise<void> {
  const told = new LRUCache<string, number>({ max: MAX_TOLD });
  let left: readonly KeyUse[] = [];
  return async (sql, uses) => {
    const latest = latestOf([...left, ...uses]);
    const since = ({ keyId, at }: KeyUse) => Date.parse(at) - (told.get(keyId) ?? Number.NEGATIVE_INFINITY);
    if (!latest.some((use) => since(use) >= TOLD_EVERY_MS)) return;
    const due = latest.filter((use) => since(use) >= SOON_DUE_MS);
    const held = await touchLastUsed(sql, due);
    for (const { keyId, at } of due) if (!held.has(keyId)) told.set(keyId, Date.parse(at));
    left = due.filter(({ keyId }) => held.has(keyId));
  };
}

/**
 * Moves `last_used_at` forward, never back; `at` is RFC 3339 in UTC. Waits for nobody: an import may have a key for long. Returns the
 * ids of keys that somebody else has, which are left as they are.
 */
export async function touchLastUsed(sql: Sql, uses: readonly KeyUse[]): Promise<Set<string>> {
  const latest = latestOf(uses);
  if (latest.length === 0) return new Set();
  const held = await sql.query<{ id: string }>({
    text: `
with late as (
  select k.id, latest.at from api_keys k join unnest($1::text[], $2::timestamptz[]) as latest(id, at) using (id)
  where k.last_used_at is null or k.last_used_at <= latest.at - interval '${STEP_MS} ms'),
due as (
  select k.id, late.at from api_keys k join late using (id) order by k.id for no key update of k skip locked),
moved as (
  update api_keys k set last_used_at = due.at from due where k.id = due.id)
select id from late where id not in (select id from due)`,
    values: [latest.map(({ keyId }) => keyId), latest.map(({ at }) => at)],
    prepare: true,
  });
  return new Set(held.map(({ id }) => id));
}

function latestOf(uses: readonly KeyUse[]): KeyUse[] {
  const latest = new Map<string, string>();
  for (const { keyId, at } of uses) if (at > (latest.get(keyId) ?? '')) latest.set(keyId, at);
  return [...latest].map(([keyId, at]) => ({ keyId, at }));
}
