// Repositories: when keys were last used. Several gateways may report the same keys at once.
import { LRUCache } from 'lru-cache';
import type { Sql } from '#database/database.ts';
import { listsOf, readColumn } from '#database/rows.ts';

/**
 * Interval at which a gateway reports a key in steady use. A recent report by another gateway suffices, so the time is
 * exact to a minute.
 */
const REPORT_INTERVAL_MS = 55_000;
/** Keys that would be due within this time are reported along, so that keys in steady use share a statement. */
const SOON_DUE_MS = 30_000;
const STEP_MS = 5_000;
const MAX_CACHED = 10_000;

export type KeyUse = { keyId: string; at: string };

/** Reports uses, but not each of them: a write costs as much as several calls. Locked keys are reported the next time. */
export function createUseReporter(): (sql: Sql, uses: readonly KeyUse[]) => Promise<void> {
  const reportedAt = new LRUCache<string, number>({ max: MAX_CACHED });
  let deferred: readonly KeyUse[] = [];
  return async (sql, uses) => {
    const latest = latestOf([...deferred, ...uses]);
    const since = ({ keyId, at }: KeyUse) => Date.parse(at) - (reportedAt.get(keyId) ?? Number.NEGATIVE_INFINITY);
    if (!latest.some((use) => since(use) >= REPORT_INTERVAL_MS)) return;
    const due = latest.filter((use) => since(use) >= SOON_DUE_MS);
    const locked = await touchLastUsed(sql, due);
    for (const { keyId, at } of due) if (!locked.has(keyId)) reportedAt.set(keyId, Date.parse(at));
    deferred = due.filter(({ keyId }) => locked.has(keyId));
  };
}

/**
 * Moves `last_used_at` forward, never back; `at` is RFC 3339 in UTC. Does not wait for locks, since an import may hold
 * a key for long. Returns the ids of locked keys, which are left unchanged.
 */
export async function touchLastUsed(sql: Sql, uses: readonly KeyUse[]): Promise<Set<string>> {
  const latest = latestOf(uses);
  if (latest.length === 0) return new Set();
  const text = `
with late as (
  select k.id, latest.at from api_keys k join unnest($1::text[], $2::timestamptz[]) as latest(id, at) using (id)
  where k.last_used_at is null or k.last_used_at <= latest.at - interval '${STEP_MS} ms'),
due as (
  select k.id, late.at from api_keys k join late using (id) order by k.id for no key update of k skip locked),
moved as (
  update api_keys k set last_used_at = due.at from due where k.id = due.id)
select id from late where id not in (select id from due)`;
  const locked = await readColumn<string>(sql, { text, values: listsOf(latest, 'keyId', 'at'), prepare: true });
  return new Set(locked);
}

function latestOf(uses: readonly KeyUse[]): KeyUse[] {
  const latest = new Map<string, string>();
  for (const { keyId, at } of uses) if (at > (latest.get(keyId) ?? '')) latest.set(keyId, at);
  return [...latest].map(([keyId, at]) => ({ keyId, at }));
}
