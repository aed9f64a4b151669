// Tracing: where traces go, and which.

export interface TracingSettings {
  /** Where traces are sent, by OTLP over HTTP. */
  url: string;
  /** Part of the requests whose traces are kept, from 0 to 1; those that failed or were slow are kept besides. */
  ratio: number;
  /** From how many milliseconds on a request is slow. */
  slowMs: number;
  /** How long the collector may take, in milliseconds. */
  timeoutMs: number;
}

/** Takes traces without making anybody wait, and sends them in batches. */
export interface TraceSink {
  /** `spans`: those of one trace in Protocol Buffers, as fields of OTLP's ScopeSpans. */
  take(spans: Buffer): void;
  /** Of traces: delivered, and refused by the collector or not delivered in time. Others wait or were dropped. */
  counts(): { delivered: number; failed: number };
  close(): Promise<void>;
}
