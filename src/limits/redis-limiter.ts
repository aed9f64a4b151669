// The limiter in Redis, shared by all gateways: one script, one round trip, one key a subject, Redis's clock.

import { readFileSync } from 'node:fs';
import type { Cluster, Redis } from 'ioredis';
import { type Allowance, type Limiter, MAX_LIMIT } from '#limits/limiter.ts';

export const slidingWindowScript = readFileSync(new URL('./sliding-window.lua', import.meta.url), 'utf8');

/** `refuse` counts a refusal that was decided elsewhere. */
export type Mode = 'take' | 'peek' | 'refuse';

type Reply = [admitted: number, used: number, refused: number, resetAt: number, now: number];
type WithScript = { porticoLimit(key: string, limit: number, mode: Mode): Promise<Reply> };

/** Its methods reject when Redis is away; the resilient limiter is the one for requests. */
export class RedisLimiter implements Limiter {
  readonly #redis: WithScript;

  constructor(redis: Redis | Cluster, script = slidingWindowScript) {
    redis.defineCommand('porticoLimit', { numberOfKeys: 1, lua: script });
    this.#redis = redis as unknown as WithScript;
  }

  take(subject: string, limit: number): Promise<Allowance> {
    return this.decide('take', subject, limit);
  }

  peek(subject: string, limit: number): Promise<Allowance> {
    return this.decide('peek', subject, limit);
  }

  async decide(mode: Mode, subject: string, limit: number): Promise<Allowance> {
    const [admitted, used, refused, resetAt, now] = await this.#redis.porticoLimit(limitKey(subject), limit, mode);
    return {
      admitted: admitted === 1,
      unavailable: false,
      limit,
      used,
      remaining: Math.max(0, Math.min(limit, MAX_LIMIT) - used),
      refused,
      resetAt,
      retryAfter: resetAt - now,
    };
  }

  /** Resolves when Redis can decide and write where this subject's window lives. */
  async probe(subject: string): Promise<void> {
    await this.#redis.porticoLimit(`portico:probe:{${subject}}`, 0, 'refuse');
  }
}

/** The braces make a Cluster place everything about a subject by the subject alone. */
export function limitKey(subject: string): string {
  return `portico:limit:{${subject}}`;
}
