// Test support: an OTLP collector of traces, in memory.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { fieldsOf, messagesIn } from './protobuf.ts';

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes?: { key: string; value: { stringValue?: string; intValue?: number } }[];
  links?: { traceId: string; spanId: string }[];
  status?: { code: number };
}

export interface Collector {
  /** The value for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  url: string;
  spans(): CollectedSpan[];
  /** All bodies as Latin-1 text, in which strings can be searched for. */
  text(): string;
  close(): Promise<void>;
}

/** `silent`: accepts requests and never responds. */
export async function startCollector({ silent = false } = {}): Promise<Collector> {
  const bodies: Buffer[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(await buffer(request));
    // An empty body means that every span was accepted.
    if (!silent) response.setHeader('Content-Type', 'application/x-protobuf').end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    text: () => bodies.map((body) => body.toString('latin1')).join('\n'),
    spans: () => bodies.flatMap(spansOf),
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** The spans of an ExportTraceServiceRequest. */
export const spansOf = (body: Buffer): CollectedSpan[] =>
  messagesIn(body, 1)
    .flatMap((resourceSpans) => messagesIn(resourceSpans, 2))
    .flatMap((scopeSpans) => messagesIn(scopeSpans, 2))
    .map(toSpan);

function toSpan(message: Buffer): CollectedSpan {
  const fields = fieldsOf(message);
  const bytes = (number: number) => (fields.get(number) ?? []).map((value) => value as Buffer);
  const [hex, time] = [(number: number) => bytes(number)[0]?.toString('hex') ?? '', readTime(bytes)];
  const [status] = bytes(15);
  return {
    ...{ traceId: hex(1), spanId: hex(2), parentSpanId: hex(4), name: String(bytes(5)[0]) },
    ...{ kind: Number(fields.get(6)?.[0]), startTimeUnixNano: time(7), endTimeUnixNano: time(8) },
    attributes: bytes(9).map(toAttribute),
    links: bytes(13).map((link) => {
      const [traceId, spanId] = [1, 2].map((number) => messagesIn(link, number)[0]?.toString('hex') ?? '');
      return { traceId: traceId ?? '', spanId: spanId ?? '' };
    }),
    ...(status === undefined ? {} : { status: { code: Number(fieldsOf(status).get(3)?.[0]) } }),
  };
}

const readTime = (bytes: (number: number) => Buffer[]) => (number: number) =>
  String(bytes(number)[0]?.readBigUInt64LE() ?? '');

function toAttribute(message: Buffer) {
  const fields = fieldsOf(message);
  const value = fieldsOf(fields.get(2)?.[0] as Buffer);
  const [text] = value.get(1) ?? [];
  return {
    key: String(fields.get(1)?.[0]),
    value: text === undefined ? { intValue: Number(value.get(3)?.[0]) } : { stringValue: String(text) },
  };
}
