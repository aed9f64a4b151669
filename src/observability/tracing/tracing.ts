// Observability: traces of requests, made of what they noted on their way once it is known how they ended.
import type { Events, RequestEvent } from '#core/events.ts';
import type { TraceSink, TracingSettings } from './sink.ts';
import { writeSpans } from './spans.ts';

export interface Tracing {
  /** Traces: kept and not, and of those kept, what became of them. */
  counts(): { kept: number; left: number; delivered: number; failed: number };
  /** Sends what is left, for a moment. */
  close(): Promise<void>;
}

/** Loads the library and begins. Without this call nothing of it is in memory. */
export async function openTracing(settings: TracingSettings, events: Events, version: string): Promise<Tracing> {
  const { openExporter } = await import('./exporter.ts');
  return traceRequests(settings, events, openExporter(settings, version));
}

/** Whether to keep the trace is decided at the end of the request: it is known then whether it failed or was slow. */
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
