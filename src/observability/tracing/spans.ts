// Tracing: the spans of a finished request: the request, its stages, and the waits within them.
import {
  type Attributes,
  type Context,
  type HrTime,
  type Link,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { RandomIdGenerator } from '@opentelemetry/sdk-trace';
import type { RequestEvent } from '#core/events.ts';
import { requestUuid } from '#core/ids.ts';

/** Shorter stages get no span. */
const SHORTEST_MS = 0.02;

/** A trace's id is that of its request. */
export class SpanIds extends RandomIdGenerator {
  /** The id of the next trace. */
  traceId = '';
  override generateTraceId = (): string => this.traceId;
}

/** Text from outside is only the ids of the caller's trace, which are checked. */
export function writeSpans(tracer: Tracer, ids: SpanIds, request: RequestEvent): void {
  const { times, status } = request;
  // By the present clock, which may have been corrected since the process began.
  const origin = Date.now() - performance.now();
  const write = (
    { name, kind, failed = false, attributes = {}, links = [] }: Described,
    parent: Context,
    from: number,
    to: number,
  ): Context => {
    const startTime = hrTime(origin + from);
    const span = tracer.startSpan(name, { kind, attributes, links, startTime }, parent);
    if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(hrTime(origin + to));
    return trace.setSpan(ROOT_CONTEXT, span);
  };
  ids.traceId = requestUuid(request.requestId);
  const root = write({ ...described(request), failed: status >= 500 }, ROOT_CONTEXT, times.began, times.ended);
  const notes = times.notes ?? [];
  const stages: { began: number; context: Context }[] = [];
  for (const { what, name, began, ended } of notes) {
    if (what !== 'stage' || ended - began < SHORTEST_MS) continue;
    const attributes =
      name === 'execute' && times.operation !== null ? { 'graphql.operation.name': times.operation } : {};
    stages.push({ began, context: write({ name, kind: SpanKind.INTERNAL, attributes }, root, began, ended) });
  }
  for (const { what, name, began, ended, failed } of notes) {
    if (what === 'stage') continue;
    const parent = stages.findLast((stage) => stage.began <= began)?.context ?? root;
    const attributes = { 'db.system.name': what };
    write({ name: `${what} ${name}`, kind: SpanKind.CLIENT, attributes, failed }, parent, began, ended);
  }
}

interface Described {
  name: string;
  kind: SpanKind;
  attributes?: Attributes;
  links?: Link[];
  failed?: boolean;
}

function described({ area, endpoint, method, status, errorCode, key, tool, requestId, traceparent }: RequestEvent) {
  return {
    name: `${method} ${endpoint}`,
    kind: SpanKind.SERVER,
    attributes: {
      ...{ 'http.request.method': method, 'http.route': endpoint, 'http.response.status_code': status },
      ...{ 'portico.area': area, 'portico.request_id': requestId },
      ...(errorCode === null ? {} : { 'error.type': errorCode }),
      ...(key === null ? {} : { 'portico.tier': key.tier }),
      ...(tool === undefined ? {} : { 'portico.tool_role': tool.role }),
    },
    links: traceparent === undefined ? [] : linksTo(traceparent),
  };
}

const hrTime = (milliseconds: number): HrTime => [
  Math.floor(milliseconds / 1e3),
  Math.floor((milliseconds % 1e3) * 1e6),
];

/** A caller's trace is only linked: the caller decides neither whether ours is kept, nor its id. */
function linksTo(traceparent: string): Link[] {
  const context = parseTraceParent(traceparent);
  return context === null ? [] : [{ context }];
}
