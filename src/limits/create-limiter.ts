// Limits: opens the Redis limiter with its local fallback, or the local limiter alone.

import { steadyClock, systemClock } from '#core/clock.ts';
import type { Limiter } from './limiter.ts';
import { LocalLimiter } from './local-limiter.ts';
import { openRedis } from './redis-connection.ts';
import { RedisLimiter } from './redis-limiter.ts';
import { type OnStateChange, type RedisStatus, RedisWatch } from './redis-watch.ts';
import { type OnRedisFailure, PATIENCE_MS, ResilientLimiter } from './resilient-limiter.ts';
import { type OnAnswer, timedStore } from './timed-store.ts';

export interface LimiterOptions {
  /** Without it the local limiter is used alone. */
  redisUrl?: string | undefined;
  /** PEM of the authority for Redis's certificates; absent: the authorities that Node trusts. */
  redisCa?: string | undefined;
  /** Default `local`. */
  onRedisFailure?: OnRedisFailure | undefined;
  onStateChange?: OnStateChange | undefined;
  /** Must not throw. */
  onAnswer?: OnAnswer | undefined;
  /** Timeout of Redis in milliseconds; default 50. */
  patienceMs?: number | undefined;
  /** Gateways with the same name share limits. */
  fleet?: string | undefined;
  /** Redis was not reached within a second, and the start waits for it. Must not throw. */
  onWaiting?: ((cause: Error | undefined) => void) | undefined;
}

export interface LimiterHandle {
  limiter: Limiter;
  /** `standalone`: no Redis is configured. */
  status(): RedisStatus | 'standalone';
  /**
   * Resolves once Redis decides and the other gateways know of this one, or without Redis after 65 s; until then the
   * others may admit this gateway's share. A gateway that admits nothing without Redis waits for only a second.
   */
  ready: Promise<void>;
  /** Closes the connection. Later calls behave as if Redis were away. */
  close(): void;
}

/** Throws only for an invalid URL. */
export function createLimiter(options: LimiterOptions = {}): LimiterHandle {
  const local = new LocalLimiter(steadyClock, { wallClock: systemClock });
  if (options.redisUrl === undefined) {
    return { limiter: local, status: () => 'standalone', ready: Promise.resolve(), close: () => {} };
  }
  const connection = openRedis(options.redisUrl, options.redisCa);
  const redis = new RedisLimiter(connection, options.fleet);
  const admitsNothingAlone = options.onRedisFailure === 'deny';
  const watch = new RedisWatch(connection, (subject) => redis.probe(subject), {
    onStateChange: options.onStateChange,
    onAbsent: (cause) => {
      if (admitsNothingAlone) return 'start';
      options.onWaiting?.(cause);
      return 'wait';
    },
  });
  const store = options.onAnswer === undefined ? redis : timedStore(redis, options.onAnswer);
  const limiter = new ResilientLimiter(store, watch, local, {
    onFailure: options.onRedisFailure ?? 'local',
    patienceMs: options.patienceMs ?? PATIENCE_MS,
  });
  limiter.join();
  return {
    limiter,
    status: () => watch.status,
    ready: watch.ready,
    close: () => {
      limiter.leave();
      watch.close();
    },
  };
}
