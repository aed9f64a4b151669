// Tracing: where spans go, and which.
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { Origin } from './spans.ts';

export interface TracingSettings {
  /** Where spans are sent, by OTLP over HTTP. */
  url: string;
  /** Part of the requests whose traces are kept, from 0 to 1; those that failed or were slow are kept besides. */
  ratio: number;
  /** From how many milliseconds on a request is slow. */
  slowMs: number;
  /** How long the collector may take, in milliseconds. */
  timeoutMs: number;
}

/** Takes spans without making anybody wait, and sends them in batches. */
export interface SpanSink {
  origin: Origin;
  take(span: ReadableSpan): void;
  /** Of spans: taken, delivered, and refused by the collector or not delivered in time. The others wait or were dropped. */
  counts(): { taken: number; delivered: number; failed: number };
  close(): Promise<void>;
}
