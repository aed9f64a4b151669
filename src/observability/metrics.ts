// Observability: Prometheus metrics of this process.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Events } from '#core/events.ts';

const STATES = ['redis', 'local', 'recovering', 'standalone'] as const;

export interface Exposition {
  contentType: string;
  /** The exposition text. */
  text(): Promise<string>;
}

export interface Metrics extends Exposition {
  /** The values as JSON, to be put together with those of other processes. */
  report(): Promise<unknown[]>;
  limiterState(state: (typeof STATES)[number]): void;
  recordsWritten(count: number): void;
  recordsWaiting(count: number): void;
}

/** Counts what `events` tells. Endpoints are route templates, so the number of series is bounded. */
export function createMetrics(events: Events): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'portico_request_duration_seconds',
    help: 'Time from a request to its answer',
    labelNames: ['area', 'endpoint', 'method', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  });
  const refusals = new Counter({
    name: 'portico_refusals_total',
    help: 'Refused requests by error code',
    labelNames: ['area', 'code'],
    registers,
  });
  const failures = new Counter({ name: 'portico_failures_total', help: 'Failures on our side', registers });
  const access = new Counter({ name: 'portico_access_total', help: 'Calls that name a client', registers });
  const tools = new Counter({
    name: 'portico_tool_requests_total',
    help: 'Requests of internal tools by role, and whether they acted as a key',
    labelNames: ['role', 'acting'],
    registers,
  });
  const limiter = new Gauge({
    name: 'portico_limiter_state',
    help: 'Where limits are kept: 1 at the state in force',
    labelNames: ['state'],
    aggregator: 'max',
    registers,
  });
  const written = new Counter({
    name: 'portico_access_records_written_total',
    help: 'Access records saved',
    registers,
  });
  const waiting = new Gauge({
    name: 'portico_access_records_waiting',
    help: 'Access records not saved yet',
    registers,
  });

  // One series each, looked up by one text: the library would hash the labels of every observation.
  const series = new Map<string, { observe(seconds: number): void }>();
  events.on('request', ({ area, endpoint, method, status, duration: seconds, errorCode, tool }) => {
    const name = `${area} ${method} ${endpoint} ${status}`;
    let observed = series.get(name);
    if (observed === undefined) {
      observed = duration.labels({ area, endpoint, method, status });
      series.set(name, observed);
    }
    observed.observe(seconds);
    if (errorCode !== null) refusals.inc({ area, code: errorCode });
    if (tool !== undefined) tools.inc({ role: tool.role, acting: String(tool.actedAs !== null) });
  });
  events.on('failure', () => failures.inc());
  events.on('access', ({ clientId }) => {
    if (clientId !== null) access.inc();
  });
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    report: () => registry.getMetricsAsJSON(),
    limiterState: (state) => {
      for (const name of STATES) limiter.set({ state: name }, name === state ? 1 : 0);
    },
    recordsWritten: (count) => written.inc(count),
    recordsWaiting: (count) => waiting.set(count),
  };
}
