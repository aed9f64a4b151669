// Gateway room: live use of the limits, key by key.

import { TIER_LIMITS } from '#core/tiers.ts';
import type { Sql } from '#data/database.ts';
import { type ApiKey, findKey, listKeys } from '#data/repositories/key-records.ts';
import type { Limiter } from '#limits/limiter.ts';

export interface KeyUsage {
  keyId: string;
  firmId: string;
  name: string;
  environment: string;
  tier: string;
  /** Requests per 60 s. */
  limit: number;
  used: number;
  remaining: number;
  refused: number;
}

/** Nothing is counted by looking. */
export async function usageOf(limiter: Limiter, key: ApiKey): Promise<KeyUsage> {
  const limit = TIER_LIMITS[key.tier];
  const { used, remaining, refused } = await limiter.peek(`key:${key.lineageId}`, limit);
  const { id: keyId, firmId, name, environment, tier } = key;
  return { keyId, firmId, name, environment, tier, limit, used, remaining, refused };
}

/** Every key that can still be used, those in use first. */
export async function allUsage(sql: Sql, limiter: Limiter): Promise<KeyUsage[]> {
  const keys = (await listKeys(sql)).filter(({ status }) => status === 'active');
  const usage = await Promise.all(keys.map((key) => usageOf(limiter, key)));
  return usage.sort((one, other) => other.used - one.used);
}

export async function keyUsage(sql: Sql, limiter: Limiter, keyId: string): Promise<KeyUsage | null> {
  const key = await findKey(sql, keyId);
  return key === null ? null : usageOf(limiter, key);
}
