// Limits: the interface of limiters. A decision is a value, never an exception.

import { WINDOW_SECONDS } from './sliding-window.ts';

/** Maximum of a limit: limiters count at most this many requests in one second of a window. */
export const MAX_LIMIT = 65_535;

/** A limiter's decision about one subject. The numbers are always set, so that headers can always be sent. */
export interface Allowance {
  /** The request is counted and admitted. */
  admitted: boolean;
  /**
   * No decision was possible and the operator chose to deny: respond with 503, not 429. Never together with `admitted`.
   */
  unavailable: boolean;
  /** Requests per 60 s. */
  limit: number;
  /** Counted requests in the window, including this one if admitted. */
  used: number;
  /** `limit - used`, at least 0. */
  remaining: number;
  /** Requests refused in the last 60 to 70 s. */
  refused: number;
  /** Unix seconds, rounded up, at which counted requests begin to leave; with `remaining` 0, a retry then succeeds. */
  resetAt: number;
  /**
   * Whole seconds from the decision until `resetAt`, rounded up, by the clock that decided; from 1 to 60. A retry after
   * this time is refused only where this gateway decides alone, or where Redis's clock was set back.
   */
  retryAfter: number;
}

/** A subject with its limit. */
export interface Limited {
  subject: string;
  limit: number;
}

/**
 * A sliding window per subject: in any 60 s at most `limit` requests are admitted. Refused ones are not counted.
 * `limit` is an integer from 0 to MAX_LIMIT and may change between calls; counted requests stay counted.
 */
export abstract class Limiter {
  /**
   * Decides about a request that counts in several windows: it is admitted and counted in all if all have room, and
   * otherwise counted in none. Allowances are in the order of `subjects`. In a Redis Cluster the subjects must share a
   * hash slot.
   */
  abstract takeAll(subjects: readonly Limited[]): Promise<Allowance[]>;

  /** Decides about one request, and counts it if admitted. */
  async take(subject: string, limit: number): Promise<Allowance> {
    const [allowance] = await this.takeAll([{ subject, limit }]);
    return allowance as Allowance;
  }

  /** The allowance without counting anything; `admitted` is always false. */
  abstract peek(subject: string, limit: number): Promise<Allowance>;
}

/**
 * The allowance with the least room, and among equals the one that has room again last. Compares waits, because resets
 * come from several clocks.
 */
export function strictest(allowances: readonly Allowance[]): Allowance {
  return allowances.reduce((a, b) => {
    if (a.remaining !== b.remaining) return a.remaining < b.remaining ? a : b;
    return a.retryAfter >= b.retryAfter ? a : b;
  });
}

/**
 * An allowance that was read after the decision. If the limit was reached then, nothing remained: a counted request may
 * have left the window since, and the allowance would not say why the request was refused.
 */
export const asDecided = (allowance: Allowance, reached: boolean): Allowance =>
  reached ? { ...allowance, remaining: 0 } : allowance;

/** Seconds to wait as sent to callers: at most one window, even where the clock was set back or no share is left. */
export function secondsToWait(ms: number): number {
  return Math.min(Math.max(1, Math.ceil(ms / 1000)), WINDOW_SECONDS);
}
