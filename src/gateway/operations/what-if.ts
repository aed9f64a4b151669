// Gateway: what another tier would have meant for keys, by recorded calls.

import { TIER_LIMITS, type Tier } from '#core/tiers.ts';
import { DAY_MS } from '#core/timestamps.ts';
import type { Sql } from '#database/database.ts';
import { busiestMinute, wouldRefuse } from '#limits/replay.ts';
import { type CallSeconds, callSeconds } from '#repositories/access-record/call-seconds.ts';

export interface WhatIfKey extends Omit<CallSeconds, 'seconds' | 'calls'> {
  requests: number;
  wouldRefuse: number;
  peakAt: string;
  peakRequests: number;
}

export interface WhatIf {
  tier: Tier;
  limit: number;
  since: string;
  until: string;
  keys: WhatIfKey[];
  wouldRefuse: number;
}

/**
 * Replays the last 24 hours of the record through the limiter's window. It does not include calls that named no client,
 * calls that counted against no key, and refusals that were only counted. Calls are replayed by whole seconds; within a
 * second the first ones are admitted.
 */
export async function whatIf(
  sql: Sql,
  tier: Tier,
  of: { firmId: string | null; keyIds: readonly string[] | null },
  now: number,
): Promise<WhatIf> {
  const [since, until] = [new Date(now - DAY_MS).toISOString(), new Date(now).toISOString()];
  const limit = TIER_LIMITS[tier];
  const keys = (await callSeconds(sql, { since, until, ...of })).map((key) => replayed(key, limit, now - DAY_MS));
  keys.sort((one, other) => other.wouldRefuse - one.wouldRefuse || other.peakRequests - one.peakRequests);
  return { tier, limit, since, until, keys, wouldRefuse: sum(keys.map((key) => key.wouldRefuse)) };
}

function replayed({ seconds, calls, ...key }: CallSeconds, limit: number, since: number): WhatIfKey {
  const { second, requests } = busiestMinute({ seconds, calls });
  return {
    ...key,
    requests: sum(calls),
    wouldRefuse: wouldRefuse({ seconds, calls }, limit),
    peakAt: new Date(since + second * 1000).toISOString(),
    peakRequests: requests,
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
