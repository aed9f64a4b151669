// Guarantee: spans have the request, its stages and its waits, with their times.
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { describe, expect, it } from 'vitest';
import type { RequestEvent } from '#core/events.ts';
import { newId, requestUuid } from '#core/ids.ts';
import { StageTimes } from '#core/stages.ts';
import { SpanIds, writeSpans } from '#observability/tracing/spans.ts';

const THEIRS = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: 1 };

/** A failed request with a stage that waited for a statement. */
function requestOf(times: StageTimes): RequestEvent {
  times.note('stage', 'execute', times.began + 1, times.began + 4.25);
  times.note('postgresql', 'assets page', times.began + 2, times.began + 3.001, true);
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

/** The request first. */
function written(...requests: RequestEvent[]) {
  const [ids, exporter] = [new SpanIds(), new InMemorySpanExporter()];
  const provider = new TracerProvider({ idGenerator: ids, spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  for (const request of requests) writeSpans(provider.getTracer('test'), ids, request);
  return exporter.getFinishedSpans();
}

const milliseconds = ([seconds, nanoseconds]: readonly [number, number]) => seconds * 1e3 + nanoseconds / 1e6;

describe('spans', () => {
  it('have the request, the parent and the times', () => {
    const times = new StageTimes(true);
    const request = requestOf(times);
    const [root, execute, statement] = written(request);
    const traceId = requestUuid(request.requestId);
    expect(root).toMatchObject({ parentSpanContext: undefined, name: 'GET /api/v1/assets', kind: SpanKind.SERVER });
    expect(root?.links).toMatchObject([{ context: { traceId: THEIRS.traceId, spanId: THEIRS.spanId } }]);
    expect(root?.attributes).toMatchObject({
      'portico.request_id': request.requestId,
      'http.response.status_code': 503,
      'error.type': 'service_unavailable',
      'portico.tier': 'sandbox',
    });
    expect(root?.status.code).toBe(SpanStatusCode.ERROR);
    expect(execute).toMatchObject({ name: 'execute', kind: SpanKind.INTERNAL, status: { code: SpanStatusCode.UNSET } });
    expect(execute?.attributes).toEqual({ 'graphql.operation.name': 'assets' });
    expect(statement).toMatchObject({ name: 'postgresql assets page', kind: SpanKind.CLIENT });
    expect(statement?.status.code).toBe(SpanStatusCode.ERROR);
    const contexts = [root, execute, statement].map((span) => span?.spanContext());
    expect(contexts.map((context) => context?.traceId)).toEqual([traceId, traceId, traceId]);
    expect([execute, statement].map((span) => span?.parentSpanContext?.spanId)).toEqual(
      contexts.slice(0, 2).map((context) => context?.spanId),
    );
    const at = (time: readonly [number, number] = [0, 0]) =>
      milliseconds(time) - milliseconds(root?.startTime ?? [0, 0]);
    expect(at(statement?.startTime)).toBeCloseTo(2, 2);
    expect(at(statement?.endTime)).toBeCloseTo(3.001, 2);
    expect(at(root?.endTime)).toBeCloseTo(5, 2);
    const now = Date.now() - (performance.now() - times.began);
    expect(Math.abs(milliseconds(root?.startTime ?? [0, 0]) - now)).toBeLessThan(60_000);
  });

  it('of many requests have unique ids', () => {
    const spans = written(...Array.from({ length: 2_000 }, () => requestOf(new StageTimes(true))));
    expect(new Set(spans.map((span) => span.spanContext().spanId)).size).toBe(6_000);
    expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(2_000);
  });

  it('are at most a hundred and one', () => {
    const times = new StageTimes(true);
    for (let count = 0; count < 200; count++) times.note('postgresql', 'x', times.began, times.began + 1);
    expect(written(requestOf(times))).toHaveLength(101);
  });
});
