// Tracing: settings, and the interface of the exporter.

export interface TracingSettings {
  /** OTLP over HTTP endpoint. */
  url: string;
  /** Sampling ratio from 0 to 1. Traces of failed and slow requests are always kept. */
  ratio: number;
  /** Duration in milliseconds from which a request is slow. */
  slowMs: number;
  /** Timeout of the collector in milliseconds. */
  timeoutMs: number;
}

/** Accepts traces without blocking, and sends them in batches. */
export interface TraceSink {
  /** `spans`: the spans of one trace in Protocol Buffers, as fields of OTLP's ScopeSpans. */
  take(spans: Buffer): void;
  /** Number of traces delivered, and of those refused or not delivered in time. The rest waits or was dropped. */
  counts(): { delivered: number; failed: number };
  close(): Promise<void>;
}
