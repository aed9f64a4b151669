// Observability: traces of requests, made of what they noted on their way once it is known how they ended.
import type { Events, RequestEvent } from '#core/events.ts';
import type { SpanSink, TracingSettings } from './sink.ts';
import { spansOf } from './spans.ts';

export interface Tracing {
  counts(): { kept: number; left: number; taken: number; delivered: number; failed: number };
  /** Sends what is left, for a moment. */
  close(): Promise<void>;
}

/** Loads the library and begins. Without this call nothing of it is in memory. */
export async function openTracing(settings: TracingSettings, events: Events, version: string): Promise<Tracing> {
  const { openExporter } = await import('./exporter.ts');
  return traceRequests(settings, events, openExporter(settings, version));
}

/** Whether to keep the trace is decided at the end of the request: it is known then whether it failed or was slow. */
export function traceRequests(
  { ratio, slowMs }: Pick<TracingSettings, 'ratio' | 'slowMs'>,
  events: Events,
  sink: SpanSink,
): Tracing {
  let kept = 0;
  let left = 0;
  const isKept = ({ status, times }: RequestEvent): boolean =>
    status >= 500 || times.ended - times.began >= slowMs || Math.random() < ratio;
  events.on('request', (request) => {
    if (!isKept(request)) {
      left += 1;
      return;
    }
    kept += 1;
    for (const span of spansOf(request, sink.origin)) sink.take(span);
  });
  return { counts: () => ({ kept, left, ...sink.counts() }), close: () => sink.close() };
}
