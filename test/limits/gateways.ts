// Limiters of gateways on a Redis whose faults a test controls.

import { createLimiter, type LimiterHandle, type LimiterOptions } from '#limits/create-limiter.ts';
import type { Allowance } from '#limits/limiter.ts';
import { until } from '#test/support/ports.ts';
import { type Service, startRedis } from '#test/support/services.ts';

/** For busy machines. Redis stays down until the requests are answered: one that waited for it would never be. */
export const SLOWEST_MS = 30_000;

export class Gateways {
  readonly redis: Service;
  readonly #handles: LimiterHandle[] = [];

  private constructor(redis: Service) {
    this.redis = redis;
  }

  static async start(): Promise<Gateways> {
    return new Gateways(await startRedis());
  }

  async add(options: LimiterOptions = {}): Promise<LimiterHandle> {
    const handle = createLimiter({ redisUrl: this.redis.url, ...options });
    this.#handles.push(handle);
    await handle.ready;
    return handle;
  }

  async stop(): Promise<void> {
    for (const handle of this.#handles) handle.close();
    await this.redis.stop();
  }
}

/** Takes `count` times, eight at once; `slowest` is in milliseconds. */
export async function takeMany({ limiter }: LimiterHandle, subject: string, limit: number, count: number) {
  const answers: Allowance[] = [];
  let slowest = 0;
  let left = count;
  const worker = async () => {
    while (left-- > 0) {
      const sent = performance.now();
      answers.push(await limiter.take(subject, limit));
      slowest = Math.max(slowest, performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return { answers, slowest, admitted: answers.filter((answer) => answer.admitted).length };
}

export function reaches(handle: LimiterHandle, status: string): Promise<void> {
  const reached = async () => handle.status() === status;
  return until(reached, 60_000, () => new Error(`still ${handle.status()}`));
}
