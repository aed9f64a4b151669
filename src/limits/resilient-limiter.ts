// Limits: Redis's decision and this gateway's own, or the latter alone while Redis is away.

import { Deadlines } from '#limits/deadlines.ts';
import type { Allowance, Limiter } from '#limits/limiter.ts';
import { type LocalLimiter, REFUSED } from '#limits/local-limiter.ts';
import type { Mode, RedisLimiter } from '#limits/redis-limiter.ts';
import type { RedisWatch } from '#limits/redis-watch.ts';

/** An answer that takes longer than this is as good as none. */
export const PATIENCE_MS = 50;

/** What to do with a request while Redis is away: decide here, or answer `unavailable`. */
export type OnRedisFailure = 'local' | 'deny';

/**
 * Every request is counted in the local window first, at all times, and none is admitted beyond it. So no failure of
 * Redis can be missed: lost data, a restart nobody noticed, an answer lost on the way, all end at the local window,
 * which holds all that this gateway admitted. While Redis is well the local window is never the fuller one, save for
 * the moment when the two clocks' seconds do not begin together.
 */
export class ResilientLimiter implements Limiter {
  readonly #redis: RedisLimiter;
  readonly #watch: RedisWatch;
  readonly #local: LocalLimiter;
  readonly #onFailure: OnRedisFailure;
  readonly #deadlines: Deadlines;

  constructor(
    redis: RedisLimiter,
    watch: RedisWatch,
    local: LocalLimiter,
    onFailure: OnRedisFailure,
    patienceMs = PATIENCE_MS,
  ) {
    this.#deadlines = new Deadlines(patienceMs);
    this.#redis = redis;
    this.#watch = watch;
    this.#local = local;
    this.#onFailure = onFailure;
  }

  async take(subject: string, limit: number): Promise<Allowance> {
    const second = this.#local.reserve(subject, limit);
    const shared = await this.#ask(second === REFUSED ? 'refuse' : 'take', subject, limit);
    const admitted = second !== REFUSED && (shared?.admitted ?? this.#onFailure === 'local');
    if (!admitted) {
      if (second !== REFUSED) this.#local.release(subject, second);
      this.#local.refuse(subject);
    }
    return this.#answer(subject, limit, admitted, shared);
  }

  async peek(subject: string, limit: number): Promise<Allowance> {
    return this.#answer(subject, limit, false, await this.#ask('peek', subject, limit));
  }

  async #ask(mode: Mode, subject: string, limit: number): Promise<Allowance | undefined> {
    if (!this.#watch.usable()) return undefined;
    try {
      return await this.#deadlines.within(this.#redis.decide(mode, subject, limit));
    } catch (cause) {
      this.#watch.lost(subject, cause as Error);
      return undefined;
    }
  }

  #answer(subject: string, limit: number, admitted: boolean, shared: Allowance | undefined): Allowance {
    // By far the most frequent case: neither limit is reached, and Redis counts at least as much as we do.
    if (shared && shared.remaining > 0 && this.#local.used(subject) <= shared.used) return shared;
    const own = this.#local.look(subject, limit, admitted);
    if (!shared) return { ...own, unavailable: this.#onFailure === 'deny' };
    return { ...stricter(shared, own), admitted, refused: shared.refused };
  }
}

/** Where both limits are reached, a retry waits for both; by the waits, since the resets are told by two clocks. */
function stricter(a: Allowance, b: Allowance): Allowance {
  if (a.remaining !== b.remaining) return a.remaining < b.remaining ? a : b;
  return a.retryAfter >= b.retryAfter ? a : b;
}
