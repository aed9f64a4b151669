// Observability: traces of requests, made from their notes once the outcome is known.
import type { Events, RequestEvent } from '#core/events.ts';
import type { TraceSink, TracingSettings } from './sink.ts';
import { writeSpans } from './spans.ts';

export interface Tracing {
  /** Number of traces kept and not kept, and of those kept, delivered and failed. */
  counts(): { kept: number; left: number; delivered: number; failed: number };
  /** Sends the remaining traces, for a short time. */
  close(): Promise<void>;
}

/** Loads the library and starts tracing. Otherwise the library is not loaded. */
export async function openTracing(settings: TracingSettings, events: Events, version: string): Promise<Tracing> {
  const { openExporter } = await import('./exporter.ts');
  return traceRequests(settings, events, openExporter(settings, version));
}

/** Whether a trace is kept is decided at the end of the request, when it is known whether it failed or was slow. */
function traceRequests({ ratio, slowMs }: TracingSettings, events: Events, sink: TraceSink): Tracing {
  let kept = 0;
  let left = 0;
  const isKept = ({ status, times }: RequestEvent): boolean =>
    status >= 500 || times.ended - times.began >= slowMs || Math.random() < ratio;
  events.on('request', (request) => {
    if (isKept(request)) {
      kept += 1;
      sink.take(writeSpans(request));
    } else left += 1;
    request.times.forget();
  });
  return { counts: () => ({ kept, left, ...sink.counts() }), close: () => sink.close() };
}
