// Metrics: which limiter is in use, for how long, and how long Redis takes.
import { Counter, Gauge, type Registry } from 'prom-client';
import { Durations } from './durations.ts';

const STATES = ['redis', 'local', 'recovering', 'standalone'] as const;
export type LimiterState = (typeof STATES)[number];

export interface LimiterMetrics {
  /** Sets the present state. */
  state(state: LimiterState): void;
  /** Observes an answer or a failure of Redis. */
  redisAnswered(command: string, milliseconds: number, failed: boolean): void;
}

export function measureLimiter(registry: Registry): LimiterMetrics {
  const registers = [registry];
  const limiter = new Gauge({
    name: 'portico_limiter_state',
    help: 'Where limits are decided; 1 for the present state.',
    labelNames: ['state'],
    aggregator: 'max',
    registers,
  });
  const changes = new Counter({
    name: 'portico_limiter_state_changes_total',
    help: 'Changes of where limits are decided, by the new state.',
    labelNames: ['state'],
    registers,
  });
  let current: LimiterState | null = null;
  let since = performance.now();
  const fallback: Counter = new Counter({
    name: 'portico_limiter_fallback_seconds_total',
    help: 'Time in which this gateway limited by itself, because Redis was unavailable or had not heard from all gateways.',
    registers,
    collect: () => settle(),
  });
  /** Adds the time since the last call. */
  function settle(): void {
    const now = performance.now();
    if (current === 'local' || current === 'recovering') fallback.inc((now - since) / 1_000);
    since = now;
  }
  const answers = new Durations(
    'portico_redis_duration_seconds',
    'Time until Redis answered or failed, by script.',
    registry,
  );
  const failed = new Counter({
    name: 'portico_redis_failures_total',
    help: 'Calls that Redis did not answer.',
    labelNames: ['command'],
    registers,
  });
  return {
    state(state) {
      settle();
      if (current !== null && state !== current) changes.inc({ state });
      current = state;
      for (const name of STATES) limiter.set({ state: name }, name === state ? 1 : 0);
    },
    redisAnswered(command, milliseconds, hasFailed) {
      answers.of(command, () => ({ command })).observe(milliseconds / 1_000);
      if (hasFailed) failed.inc({ command });
    },
  };
}
