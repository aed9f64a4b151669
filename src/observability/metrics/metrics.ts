// Observability: Prometheus metrics of this process.
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Events } from '#core/events.ts';
import { type LimiterMetrics, measureLimiter } from './limiter.ts';
import { countRequests } from './requests.ts';

/** Gauges of the library with names of counters. Each has a sibling by type. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Percentiles that the library averages over processes, which hides one that is overloaded among others. */
const LAGS = ['nodejs_eventloop_lag_p90_seconds', 'nodejs_eventloop_lag_p99_seconds'];

export interface Exposition {
  contentType: string;
  /** The exposition text. */
  text(): Promise<string>;
  /** Hands over counts that would be lost with this process; absent where no primary collects them. */
  close?(): Promise<void>;
}

export interface Metrics extends Exposition {
  /** The values as JSON, for aggregation with those of other processes. */
  report(): Promise<unknown[]>;
  limiter: LimiterMetrics;
  /** Metrics that others register are exposed, too. */
  registry: Registry;
}

/** Counts what is emitted on `events`. */
export function createMetrics(events: Events): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  for (const name of LAGS) Object.assign(registry.getSingleMetric(name) ?? {}, { aggregator: 'max' });
  countRequests(events, registry);
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    report: () => registry.getMetricsAsJSON(),
    limiter: measureLimiter(registry),
    registry,
  };
}
