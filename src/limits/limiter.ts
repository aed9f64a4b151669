// Limits: a decision is a value, never an exception.

import { WINDOW_SECONDS } from './sliding-window.ts';

/** The limiters keep at most this many requests in one second of a window, so no limit may be higher. */
export const MAX_LIMIT = 65_535;

/** A limiter's answer about one subject at one moment. The numbers are always filled in, so headers always can be. */
export interface Allowance {
  /** The request is counted and may go on. */
  admitted: boolean;
  /** No decision was possible and the operator chose to deny: answer 503, not 429. Never together with `admitted`. */
  unavailable: boolean;
  /** Requests per 60 s. */
  limit: number;
  /** Counted requests in the window, this one included when it was admitted. */
  used: number;
  /** `limit - used`, never below 0. */
  remaining: number;
  /** Requests refused in the last 60 to 70 s. */
  refused: number;
  /** Unix seconds, rounded up, at which counted requests begin to leave; at `remaining` 0 a retry then succeeds. */
  resetAt: number;
  /**
   * Whole seconds from the decision until then, rounded up, by the clock that made it; from 1 to 60. A retry after them may
   * be refused only where this gateway decides alone, or where Redis's clock was set back.
   */
  retryAfter: number;
}

/** A window, and how much it may hold. */
export interface Limited {
  subject: string;
  limit: number;
}

/**
 * A sliding window per subject: in any 60 s at most `limit` requests are admitted; refused ones are not counted.
 * `limit` is a whole number from 0 to MAX_LIMIT and may change between calls; what was counted stays counted.
 */
export abstract class Limiter {
  /**
   * Decides about one request that counts in several windows: admitted, and counted in all, where all have room; else
   * counted in none. Allowances in the order of `asked`. In a Redis Cluster the subjects have to share their place.
   */
  abstract takeAll(asked: readonly Limited[]): Promise<Allowance[]>;

  /** Decides about one request and counts it when it is admitted. */
  async take(subject: string, limit: number): Promise<Allowance> {
    const [allowance] = await this.takeAll([{ subject, limit }]);
    return allowance as Allowance;
  }

  /** The same view without counting anything; `admitted` is always false. */
  abstract peek(subject: string, limit: number): Promise<Allowance>;
}

/** The one with the least room; of several the one that has room again last. By the waits: resets are told by several clocks. */
export function strictest(allowances: readonly Allowance[]): Allowance {
  return allowances.reduce((a, b) => {
    if (a.remaining !== b.remaining) return a.remaining < b.remaining ? a : b;
    return a.retryAfter >= b.retryAfter ? a : b;
  });
}

/** Whole seconds to wait, as clients are told: a window at most, also where the clock went back or no share is left. */
export function secondsToWait(ms: number): number {
  return Math.min(Math.max(1, Math.ceil(ms / 1000)), WINDOW_SECONDS);
}
