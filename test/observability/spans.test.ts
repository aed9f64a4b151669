// Guarantee: spans are valid OTLP: a reader finds the same in them as in those that the library writes.
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { describe, expect, it } from 'vitest';
import type { RequestEvent } from '#core/events.ts';
import { newId, requestUuid } from '#core/ids.ts';
import { StageTimes } from '#core/stages.ts';
import { field, lengthOf } from '#observability/tracing/protobuf.ts';
import { writeSpans } from '#observability/tracing/spans.ts';
import { type CollectedSpan, spansOf } from '#test/support/collector.ts';

const THEIRS = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: 1 };

/** A failed request with a stage that waited for a statement. */
function requestOf(times: StageTimes): RequestEvent {
  times.notes?.add('stage', 'execute', times.began + 1, times.began + 4.25, false);
  times.notes?.add('postgresql', 'assets page', times.began + 2, times.began + 3.000_001, true);
  times.operation = 'assets';
  times.ended = times.began + 5;
  return {
    ...{ area: 'portfolio', endpoint: '/api/v1/assets', method: 'GET', status: 503, requestId: newId('request') },
    ...{
      errorCode: 'service_unavailable',
      times,
      traced: true,
      shadowRefusal: null,
      nearLimit: null,
      callersId: null,
    },
    key: { id: 'key', firmId: 'firm', tier: 'sandbox' },
    network: () => '',
    traceparent: `00-${THEIRS.traceId}-${THEIRS.spanId}-01`,
  };
}

const written = (request: RequestEvent): CollectedSpan[] => spansOf(field(1, field(2, writeSpans(request))));

/** The same spans by the library's own writer. */
function byLibrary(spans: readonly CollectedSpan[]): CollectedSpan[] {
  const contextOf = (traceId: string, spanId: string) => ({ traceId, spanId, traceFlags: 1 });
  const time = (nanoseconds: string): [number, number] => [
    Number(BigInt(nanoseconds) / 1_000_000_000n),
    Number(BigInt(nanoseconds) % 1_000_000_000n),
  ];
  const readable = spans.map((span): ReadableSpan => {
    const { traceId, spanId, parentSpanId = '', name, attributes = [], links = [], status } = span;
    return {
      ...{ name, kind: span.kind - 1, spanContext: () => contextOf(traceId, spanId) },
      ...(parentSpanId === '' ? {} : { parentSpanContext: contextOf(traceId, parentSpanId) }),
      ...{
        startTime: time(span.startTimeUnixNano),
        endTime: time(span.endTimeUnixNano),
        duration: [0, 0],
        ended: true,
      },
      status: { code: status === undefined ? SpanStatusCode.UNSET : SpanStatusCode.ERROR },
      attributes: Object.fromEntries(
        attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? '']),
      ),
      links: links.map(({ traceId, spanId }) => ({ context: contextOf(traceId, spanId) })),
      ...{ events: [], droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
      ...{ resource: resourceFromAttributes({}), instrumentationScope: { name: 'portico' } },
    };
  });
  return spansOf(Buffer.from(ProtobufTraceSerializer.serializeRequest(readable) ?? []));
}

describe('spans', () => {
  it('equal those that the library writes', () => {
    const spans = written(requestOf(new StageTimes(true)));
    const withoutFlags = (each: CollectedSpan[]) =>
      each.map((span) => ({ ...span, status: span.status?.code === SpanStatusCode.ERROR }));
    expect(withoutFlags(byLibrary(spans))).toEqual(withoutFlags(spans));
  });

  it('have the request, the parent and the times', () => {
    const times = new StageTimes(true);
    const request = requestOf(times);
    const [root, execute, statement] = written(request);
    const traceId = requestUuid(request.requestId);
    expect(root).toMatchObject({ traceId, parentSpanId: '', name: 'GET /api/v1/assets', kind: SpanKind.SERVER + 1 });
    expect(root?.links).toEqual([{ traceId: THEIRS.traceId, spanId: THEIRS.spanId }]);
    expect(root?.attributes).toContainEqual({ key: 'portico.request_id', value: { stringValue: request.requestId } });
    expect(root?.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 503 } });
    expect(execute).toMatchObject({ traceId, parentSpanId: root?.spanId, name: 'execute' });
    expect(statement).toMatchObject({ parentSpanId: execute?.spanId, name: 'postgresql assets page' });
    expect(statement).toMatchObject({ kind: SpanKind.CLIENT + 1, status: { code: 2 } });
    expect(new Set([root, execute, statement].map((span) => span?.spanId)).size).toBe(3);
    const at = (text = '0') => BigInt(text) - BigInt(root?.startTimeUnixNano ?? 0);
    expect(at(statement?.startTimeUnixNano)).toBe(2_000_000n);
    expect(at(statement?.endTimeUnixNano)).toBe(3_000_001n);
    expect(at(root?.endTimeUnixNano)).toBe(5_000_000n);
    const now = Date.now() - (performance.now() - times.began);
    expect(Math.abs(Number(BigInt(root?.startTimeUnixNano ?? 0) / 1_000_000n) - now)).toBeLessThan(60_000);
  });

  it('of many requests have unique ids', () => {
    const spans = Array.from({ length: 2_000 }, () => written(requestOf(new StageTimes(true)))).flat();
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  });

  it('of a request with more notes than fit are all written', () => {
    const times = new StageTimes(true);
    for (let count = 0; count < 100; count++)
      times.notes?.add('postgresql', 'x'.repeat(1_000), times.began, times.began + 1, false);
    expect(written(requestOf(times))).toHaveLength(101);
  });
});

it('the length of a field is written as a varint', () => {
  for (const length of [0, 127, 128, 16_384])
    expect(lengthOf(2, length).length).toBe(1 + Math.max(1, Math.ceil(length.toString(2).length / 7)));
});
