// Tracing: the exporter. It and its library are only loaded where tracing is on.
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
import { type ISerializer, ProtobufTraceSerializer, TraceExporterMetricsHelper } from '@opentelemetry/otlp-transformer';
import {
  defaultResource,
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace';
import { field, lengthOf } from './protobuf.ts';
import { attribute } from './spans.ts';

/**
 * Maximum number of traces waiting to be sent. Further ones are dropped, so that a collector's outage costs no memory.
 */
const MAX_WAITING = 2_048;
/** Traces per message. Serialising more at once would delay requests. */
const MAX_PER_MESSAGE = 256;
const DELAY_MS = 1_000;

/** The part of a span that the library reads before serialising. */
interface SerializedTrace {
  spans: Buffer;
  resource: Resource;
  spanContext: () => { traceId: string; spanId: string; traceFlags: number };
}

/**
 * The library reads `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES` and the rest of `OTEL_EXPORTER_OTLP_*` by itself.
 */
export function openExporter({ url, timeoutMs }: { url: string; timeoutMs: number }, version: string) {
  const counts = { delivered: 0, failed: 0 };
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'portico', 'service.version': version }))
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }));
  const attributes = Object.entries(resource.attributes).map(([name, value]) => field(1, attribute(name, value)));
  const resourceField = field(1, Buffer.concat(attributes));
  const scope = field(1, Buffer.concat([field(1, 'portico'), field(2, version)]));
  const serializer: ISerializer<ReadableSpan[], unknown> = {
    // One ResourceSpans with one ScopeSpans with all spans.
    serializeRequest: (traces) => {
      const spans = (traces as unknown as SerializedTrace[]).map((trace) => trace.spans);
      const spansLength = spans.reduce((sum, { length }) => sum + length, scope.length);
      const scopeHeader = lengthOf(2, spansLength);
      const resourceHeader = lengthOf(1, resourceField.length + scopeHeader.length + spansLength);
      return Buffer.concat([resourceHeader, resourceField, scopeHeader, scope, ...spans]);
    },
    deserializeResponse: (answer) => ProtobufTraceSerializer.deserializeResponse(answer),
  };
  const headers = { 'Content-Type': 'application/x-protobuf' };
  const options = convertLegacyHttpOptions({ url, timeoutMillis: timeoutMs }, 'TRACES', 'v1/traces', headers);
  const otlp = new OTLPExporterBase(
    createOtlpHttpExportDelegate(
      ...([options, serializer, 'otlp_http_span_exporter', TraceExporterMetricsHelper, undefined] as const),
    ),
  );
  const processor = new BatchSpanProcessor({
    exporter: {
      export: (traces, done) =>
        otlp.export(traces as ReadableSpan[], (result) => {
          if (result.code === 0) counts.delivered += traces.length;
          else counts.failed += traces.length;
          done(result);
        }),
      shutdown: () => otlp.shutdown(),
    },
    ...{ maxQueueSize: MAX_WAITING, maxExportBatchSize: MAX_PER_MESSAGE, scheduledDelayMillis: DELAY_MS },
    exportTimeoutMillis: timeoutMs,
  });
  const context = { traceId: '', spanId: '', traceFlags: 1 };
  const spanContext = () => context;
  return {
    /** Accepts the spans of one trace, as fields of OTLP's ScopeSpans, without blocking. They are sent in batches. */
    take: (spans: Buffer): void =>
      processor.onEnd({ spans, resource, spanContext } satisfies SerializedTrace as unknown as ReadableSpan),
    /** Number of traces delivered, and of those refused or not delivered in time. The rest waits or was dropped. */
    counts: () => counts,
    // Undelivered traces are counted. Closing waits for at most one message.
    close: () => processor.shutdown().catch(() => {}),
  };
}
