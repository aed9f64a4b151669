// Gateway: live use of the limits by key.

import { Refusal } from '#core/errors.ts';
import { isNearLimit } from '#core/near-limit.ts';
import type { Sql } from '#database/database.ts';
import { firmSubject, type LimitedCaller, requestLimits } from '#gateway/admission/request-limits.ts';
import type { Limiter } from '#limits/limiter.ts';
import type { LimitPolicy } from '#limits/policies.ts';
import { findLimitedKey, type LimitedKey, listLimitedKeys } from '#repositories/keys/limit-records.ts';

/** The part of a limiter needed to read windows. */
type Peek = Pick<Limiter, 'peek'>;

export interface Load {
  /** Requests per 60 s. */
  limit: number;
  used: number;
  remaining: number;
  refused: number;
  /** Like `refused`, for a limit in shadow mode: these requests were admitted. */
  wouldRefuse: number;
  /** Whether the use is near the limit. */
  near: boolean;
}

export type KeyUsage = Awaited<ReturnType<typeof usageOf>>[number];

/** Windows read at a time: each read occupies the limiter, which requests need too. */
const BATCH_SIZE = 32;

/** In the order of the keys. Reading counts nothing. */
export function loadsOf(limiter: Peek, keys: readonly LimitedCaller[]): Promise<Load[]> {
  return readLoads(
    limiter,
    keys.map((key) => requestLimits(key).key),
  );
}

/** The load of all keys of a firm together. */
export function firmLoad(limiter: Peek, firmId: string, limit: number): Promise<Load> {
  return loadOf(limiter, { subject: firmSubject(firmId), limit });
}

async function readLoads(limiter: Peek, windows: readonly LimitPolicy[]): Promise<Load[]> {
  const loads: Load[] = [];
  for (let at = 0; at < windows.length; at += BATCH_SIZE) {
    const some = windows.slice(at, at + BATCH_SIZE);
    loads.push(...(await Promise.all(some.map((window) => loadOf(limiter, window)))));
  }
  return loads;
}

async function loadOf(limiter: Peek, { subject, limit, shadowed = false }: LimitPolicy): Promise<Load> {
  const { used, remaining, refused } = await limiter.peek(subject, limit);
  const over = shadowed ? { refused: 0, wouldRefuse: refused } : { refused, wouldRefuse: 0 };
  return { limit, used, remaining, ...over, near: isNearLimit(used, limit) };
}

/** Every usable key, with the most used first. */
export async function allUsage(sql: Sql, limiter: Peek): Promise<KeyUsage[]> {
  const usage = await usageOf(limiter, await listLimitedKeys(sql));
  return usage.sort((one, other) => other.used - one.used);
}

/** Throws Refusal `resource_not_found`. */
export async function keyUsage(sql: Sql, limiter: Peek, keyId: string): Promise<KeyUsage> {
  const key = await findLimitedKey(sql, keyId);
  const [usage] = key === null ? [] : await usageOf(limiter, [key]);
  if (usage === undefined) throw new Refusal('resource_not_found');
  return usage;
}

/** The use of each key, and of all keys of its firm together (`firm`), where the firm has a limit. */
async function usageOf(limiter: Peek, keys: LimitedKey[]) {
  const loads = await loadsOf(limiter, keys);
  const windows = new Map<string, LimitPolicy>();
  for (const key of keys) {
    const { firm } = requestLimits(key);
    if (firm !== undefined) windows.set(key.firmId, firm);
  }
  const firmLoads = await readLoads(limiter, [...windows.values()]);
  const ofFirm = new Map([...windows.keys()].map((id, index) => [id, firmLoads[index]]));
  return keys.map(({ id: keyId, ...key }, index) => {
    const { firmId, firmName, name, environment, tier, tierOverride, tierOverrideEndsAt, shadow } = key;
    const described = { keyId, firmId, firmName, name, environment, tier, tierOverride, tierOverrideEndsAt, shadow };
    return { ...described, ...(loads[index] as Load), firm: ofFirm.get(firmId) ?? null };
  });
}
