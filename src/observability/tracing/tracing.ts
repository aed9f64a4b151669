// Observability: traces of requests, made from their notes once the outcome is known.
import type { Events, RequestEvent } from '#core/events.ts';

interface TracingSettings {
  /** OTLP over HTTP endpoint. */
  url: string;
  /** Sampling ratio from 0 to 1. Traces of failed and slow requests are always kept. */
  ratio: number;
  /** Duration in milliseconds from which a request is slow. */
  slowMs: number;
  /** Timeout of the collector in milliseconds. */
  timeoutMs: number;
}

export interface Tracing {
  /** Number of traces kept and not kept, and of those kept, delivered and failed. */
  counts(): { kept: number; left: number; delivered: number; failed: number };
  /** Sends the remaining traces, for a short time. */
  close(): Promise<void>;
}

/** Whether a trace is kept is decided at the end of the request, when it is known whether it failed or was slow. */
export async function openTracing(settings: TracingSettings, events: Events, version: string): Promise<Tracing> {
  // Imported here because many installations have no collector.
  const { openExporter } = await import('./exporter.ts');
  const exporter = openExporter(settings, version);
  let kept = 0;
  let left = 0;
  const isKept = ({ status, times }: RequestEvent): boolean =>
    status >= 500 || times.ended - times.began >= settings.slowMs || Math.random() < settings.ratio;
  events.on('request', (request) => {
    if (isKept(request)) {
      kept += 1;
      exporter.take(request);
    } else left += 1;
  });
  return { counts: () => ({ kept, left, ...exporter.counts() }), close: exporter.close };
}
