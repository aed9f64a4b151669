// Tracing: the library that sends spans; loaded where traces are wanted, and nowhere else.
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace';
import type { SpanSink, TracingSettings } from './sink.ts';

/** Spans that wait to be sent; whatever comes beyond is dropped, so that a collector that is away costs no memory. */
const MAX_WAITING = 4_096;
/** Spans of one message: writing more of them at once would hold requests up. */
const MAX_TOGETHER = 128;
const DELAY_MS = 1_000;

/** `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_EXPORTER_OTLP_*` beside the settings are the library's to read. */
export function openExporter({ url, timeoutMs }: TracingSettings, version: string): SpanSink {
  const counts = { taken: 0, delivered: 0, failed: 0 };
  const otlp = new OTLPTraceExporter({ url, timeoutMillis: timeoutMs });
  const exporter: SpanExporter = {
    export: (spans, done) =>
      otlp.export(spans as ReadableSpan[], (result) => {
        if (result.code === 0) counts.delivered += spans.length;
        else counts.failed += spans.length;
        done(result);
      }),
    forceFlush: () => otlp.forceFlush(),
    shutdown: () => otlp.shutdown(),
  };
  const processor = new BatchSpanProcessor({
    exporter,
    ...{ maxQueueSize: MAX_WAITING, maxExportBatchSize: MAX_TOGETHER, scheduledDelayMillis: DELAY_MS },
    exportTimeoutMillis: timeoutMs,
  });
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'portico', 'service.version': version }))
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }));
  return {
    origin: { resource, instrumentationScope: { name: 'portico', version } },
    take(span) {
      counts.taken += 1;
      processor.onEnd(span);
    },
    counts: () => counts,
    // What cannot be delivered is counted, and nobody waits for it longer than for one message.
    close: () => processor.shutdown().catch(() => {}),
  };
}
