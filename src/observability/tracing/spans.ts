// Tracing: the spans of a request that has ended: the request, its stages, and in them what they waited for.
import type { Attributes, HrTime, Link, SpanContext } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { RequestEvent } from '#core/events.ts';
import type { Span } from '#core/stages.ts';
import { traceIdOf } from '#core/trace-id.ts';

/** What is the same for all spans of a process. */
export type Origin = Pick<ReadableSpan, 'resource' | 'instrumentationScope'>;

/** The library's numbers; importing them would load it. */
const INTERNAL = 0;
const SERVER = 1;
const CLIENT = 2;
const UNSET = { code: 0 } as const;
const ERROR = { code: 2 } as const;
const SAMPLED = 1;

/** A stage that took less holds nothing that could be looked at. */
const SHORTEST_MS = 0.02;

const NONE: never[] = [];
const STAGE: Attributes = {};
const POSTGRESQL: Attributes = { 'db.system.name': 'postgresql' };
const REDIS: Attributes = { 'db.system.name': 'redis' };

/** From and to, and the Unix milliseconds at which that clock began. */
interface Times {
  began: number;
  ended: number;
  epoch: number;
}

class FinishedSpan implements ReadableSpan {
  readonly name: string;
  readonly kind: ReadableSpan['kind'];
  readonly attributes: Attributes;
  readonly resource: ReadableSpan['resource'];
  readonly instrumentationScope: ReadableSpan['instrumentationScope'];
  readonly startTime: HrTime;
  readonly endTime: HrTime;
  readonly duration: HrTime;
  readonly parentSpanContext?: SpanContext;
  readonly status: ReadableSpan['status'];
  readonly links: Link[];
  readonly events: ReadableSpan['events'] = NONE;
  readonly ended = true;
  readonly droppedAttributesCount = 0;
  readonly droppedEventsCount = 0;
  readonly droppedLinksCount = 0;
  readonly spanContext: () => SpanContext;

  constructor(
    { resource, instrumentationScope }: Origin,
    { began, ended, epoch }: Times,
    what: { name: string; kind: number; attributes: Attributes; failed: boolean; links?: Link[] },
    traceId: string,
    parent: FinishedSpan | null,
  ) {
    this.name = what.name;
    this.kind = what.kind;
    this.attributes = what.attributes;
    this.resource = resource;
    this.instrumentationScope = instrumentationScope;
    this.startTime = hrTime(epoch + began);
    this.endTime = hrTime(epoch + ended);
    this.duration = hrTime(ended - began);
    if (parent !== null) this.parentSpanContext = parent.spanContext();
    this.status = what.failed ? ERROR : UNSET;
    this.links = what.links ?? NONE;
    const context: SpanContext = { traceId, spanId: newSpanId(), traceFlags: SAMPLED };
    this.spanContext = () => context;
  }
}

/** None of them holds text from outside but the caller's trace id, whose form is checked. */
export function spansOf(request: RequestEvent, origin: Origin): ReadableSpan[] {
  const { times, requestId, status, traceparent } = request;
  const traceId = traceIdOf(requestId);
  const epoch = Date.now() - performance.now();
  const make = (what: ConstructorParameters<typeof FinishedSpan>[2], of: Omit<Times, 'epoch'>, parent = root) =>
    new FinishedSpan(origin, { began: of.began, ended: of.ended, epoch }, what, traceId, parent);

  let root: FinishedSpan | null = null;
  root = make(
    {
      name: `${request.method} ${request.endpoint}`,
      ...{ kind: SERVER, attributes: attributesOf(request), failed: status >= 500, links: linksTo(traceparent) },
    },
    times,
  );
  const spans: FinishedSpan[] = [root];
  const stages: { noted: Span; span: FinishedSpan }[] = [];
  for (const noted of times.spans ?? NONE) {
    if (noted.what !== 'stage' || noted.ended - noted.began < SHORTEST_MS) continue;
    const attributes =
      noted.name === 'execute' && times.operation !== null ? { 'graphql.operation.name': times.operation } : STAGE;
    const span = make({ name: noted.name, kind: INTERNAL, attributes, failed: false }, noted, root);
    stages.push({ noted, span });
    spans.push(span);
  }
  for (const noted of times.spans ?? NONE) {
    if (noted.what === 'stage') continue;
    const stage = stages.findLast(({ noted: { began } }) => began <= noted.began);
    const attributes = noted.what === 'redis' ? REDIS : POSTGRESQL;
    const name = `${noted.what} ${noted.name}`;
    spans.push(make({ name, kind: CLIENT, attributes, failed: noted.failed }, noted, stage?.span ?? root));
  }
  return spans;
}

function attributesOf({ area, endpoint, method, status, requestId, errorCode, key, tool }: RequestEvent): Attributes {
  const attributes: Attributes = {
    'http.request.method': method,
    'http.route': endpoint,
    'http.response.status_code': status,
    'portico.area': area,
    'portico.request_id': requestId,
  };
  if (errorCode !== null) attributes['error.type'] = errorCode;
  if (key !== null) attributes['portico.tier'] = key.tier;
  if (tool !== undefined) attributes['portico.tool_role'] = tool.role;
  return attributes;
}

const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-|$)/;

/** Whoever calls may say which trace of theirs it is part of, and does not decide whether it is kept, or under which id. */
function linksTo(traceparent: string | undefined): Link[] {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return NONE;
  return [{ context: { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & SAMPLED, isRemote: true } }];
}

function hrTime(milliseconds: number): HrTime {
  const seconds = Math.trunc(milliseconds / 1_000);
  return [seconds, Math.trunc((milliseconds - seconds * 1_000) * 1e6)];
}

const newSpanId = (): string => half() + half();
const half = (): string => ((Math.random() * 0x100000000) >>> 0).toString(16).padStart(8, '0');
