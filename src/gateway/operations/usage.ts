// Gateway: live use of the limits, key by key.

import { TIER_LIMITS, type Tier } from '#core/tiers.ts';
import type { Sql } from '#database/database.ts';
import type { Limiter } from '#limits/limiter.ts';
import { findLimitedKey, type LimitedKey, listLimitedKeys } from '#repositories/keys/limit-records.ts';

export interface KeyLoad {
  /** Requests per 60 s. */
  limit: number;
  used: number;
  remaining: number;
  refused: number;
  /** At NEAR of the limit or above. */
  near: boolean;
}

export interface KeyUsage extends KeyLoad {
  keyId: string;
  firmId: string;
  firmName: string;
  name: string;
  environment: string;
  tier: string;
  tierOverride: string | null;
}

const NEAR = 0.8;
/** Windows looked at together: each look has the limiter's patience, and must not use it up for requests. */
const TOGETHER = 32;

type Limited = { lineageId: string; tier: Tier };

/** In the order of the keys. Nothing is counted by looking. */
export async function loadsOf(limiter: Limiter, keys: readonly Limited[]): Promise<KeyLoad[]> {
  const loads: KeyLoad[] = [];
  for (let at = 0; at < keys.length; at += TOGETHER) {
    const some = keys.slice(at, at + TOGETHER);
    loads.push(...(await Promise.all(some.map((key) => loadOf(limiter, key)))));
  }
  return loads;
}

async function loadOf(limiter: Limiter, { lineageId, tier }: Limited): Promise<KeyLoad> {
  const limit = TIER_LIMITS[tier];
  const { used, remaining, refused } = await limiter.peek(`key:${lineageId}`, limit);
  return { limit, used, remaining, refused, near: used >= limit * NEAR };
}

/** Every key that can still be used, those in use first. */
export async function allUsage(sql: Sql, limiter: Limiter): Promise<KeyUsage[]> {
  const usage = await usageOf(limiter, await listLimitedKeys(sql));
  return usage.sort((one, other) => other.used - one.used);
}

export async function keyUsage(sql: Sql, limiter: Limiter, keyId: string): Promise<KeyUsage | null> {
  const key = await findLimitedKey(sql, keyId);
  return key === null ? null : ((await usageOf(limiter, [key]))[0] ?? null);
}

async function usageOf(limiter: Limiter, keys: LimitedKey[]): Promise<KeyUsage[]> {
  const loads = await loadsOf(limiter, keys);
  return keys.flatMap(({ id: keyId, firmId, firmName, name, environment, tier, tierOverride }, index) => {
    const load = loads[index];
    return load === undefined ? [] : { keyId, firmId, firmName, name, environment, tier, tierOverride, ...load };
  });
}
