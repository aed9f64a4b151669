// Tracing: the tracer, whose spans are sent in batches. It and its library are only loaded where tracing is on.
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, type ReadableSpan, TracerProvider } from '@opentelemetry/sdk-trace';
import type { RequestEvent } from '#core/events.ts';
import { SpanIds, writeSpans } from './spans.ts';

/**
 * Maximum number of spans waiting to be sent, some of a thousand requests. Further ones are dropped, so that a
 * collector's outage costs no memory.
 */
const MAX_WAITING = 8_192;
/** Spans per message. Serialising more at once would delay requests. */
const MAX_PER_MESSAGE = 512;
const DELAY_MS = 1_000;

const tracesIn = (spans: readonly ReadableSpan[]): number =>
  spans.filter(({ parentSpanContext }) => parentSpanContext === undefined).length;

/**
 * The library reads `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES` and the rest of `OTEL_EXPORTER_OTLP_*` by itself.
 */
export function openExporter({ url, timeoutMs }: { url: string; timeoutMs: number }, version: string) {
  const counts = { delivered: 0, failed: 0 };
  const otlp = new OTLPTraceExporter({ url, timeoutMillis: timeoutMs });
  const processor = new BatchSpanProcessor({
    exporter: {
      export: (spans, done) =>
        otlp.export(spans, (result) => {
          counts[result.code === 0 ? 'delivered' : 'failed'] += tracesIn(spans);
          done(result);
        }),
      shutdown: () => otlp.shutdown(),
    },
    ...{ maxQueueSize: MAX_WAITING, maxExportBatchSize: MAX_PER_MESSAGE, scheduledDelayMillis: DELAY_MS },
    exportTimeoutMillis: timeoutMs,
  });
  const ids = new SpanIds();
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'portico', 'service.version': version }))
      .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] })),
    sampler: new AlwaysOnSampler(),
    idGenerator: ids,
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('portico', version);
  return {
    /** Queues the spans of a request that has ended. They are sent in batches. */
    take: (request: RequestEvent): void => writeSpans(tracer, ids, request),
    /** Number of traces delivered, and of those refused or not delivered in time. The rest waits or was dropped. */
    counts: () => counts,
    // Undelivered traces are counted. Closing waits for at most one message.
    close: () => provider.shutdown().catch(() => {}),
  };
}
