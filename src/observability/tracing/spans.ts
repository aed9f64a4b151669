// Tracing: the spans of a finished request as OTLP in Protocol Buffers: the request, its stages, and the waits within
// them. Written directly, because the library's span objects would take several times as long.
import type { RequestEvent } from '#core/events.ts';
import { getOrInsert } from '#core/get-or-insert.ts';
import { requestUuid } from '#core/ids.ts';
import type { Notes } from '#core/stages.ts';
import { field, numberField } from './protobuf.ts';
import { SpanWriter } from './span-writer.ts';

/** Field numbers of OTLP's Span. */
const FIELD = { name: 5, kind: 6, attributes: 9, links: 13, status: 15 };
/** Enum values of OTLP. */
const INTERNAL = 1;
const SERVER = 2;
const CLIENT = 3;
const ERROR = 2;

const NOTHING: Buffer = Buffer.alloc(0);
const FAILED = field(FIELD.status, numberField(3, ERROR));

/** Shorter stages get no span. */
const SHORTEST_MS = 0.02;

const writer = new SpanWriter();
const ROOT = 0;

/**
 * All spans, concatenated, each as a field. Text from outside is only the ids of the caller's trace, which are checked.
 */
export function writeSpans(request: RequestEvent): Buffer {
  const { times, requestId, status, traceparent } = request;
  const { notes, began, ended } = times;
  writer.begin(requestUuid(requestId), began, 1 + (notes?.count ?? 0));
  const links = traceparent === undefined ? NOTHING : linksTo(traceparent);
  const end = status >= 500 ? FAILED : NOTHING;
  writer.span(ROOT, null, began, ended, headOf(request), requestIdOf(requestId), links, end);
  if (notes !== null) writeNotes(notes, times.operation);
  return writer.written();
}

/** The span of a note has the note's number plus one. */
function writeNotes({ count, what, names, failed, began, ended }: Notes, operation: string | null): void {
  const shown = (at: number) => what[at] === 'stage' && (ended[at] ?? 0) - (began[at] ?? 0) >= SHORTEST_MS;
  for (let at = 0; at < count; at++) {
    const [from = 0, to = 0, system = '', name = ''] = [began[at], ended[at], what[at], names[at]];
    if (shown(at)) writer.span(1 + at, ROOT, from, to, stageOf(name, name === 'execute' ? operation : null));
    if (system === 'stage') continue;
    let parent = ROOT;
    for (let stage = 0; stage < count; stage++) if (shown(stage) && (began[stage] ?? 0) <= from) parent = 1 + stage;
    writer.span(1 + at, parent, from, to, waitOf(system, name), failed[at] === true ? FAILED : NOTHING);
  }
}

const known = new Map<string, Buffer>();

/** Caches the parts of spans other than ids and times. There are few distinct ones. */
const keptBy = (name: string, write: () => Buffer): Buffer => getOrInsert(known, name, write);

const stageOf = (name: string, operation: string | null): Buffer =>
  keptBy(operation === null ? name : `${name} ${operation}`, () =>
    described(name, INTERNAL, { 'graphql.operation.name': operation }),
  );

const waitOf = (system: string, name: string): Buffer =>
  keptBy(`${system} ${name}`, () => described(`${system} ${name}`, CLIENT, { 'db.system.name': system }));

function headOf({ area, endpoint, method, status, errorCode, key, tool }: RequestEvent): Buffer {
  const tier = key?.tier;
  const role = tool?.role;
  return keptBy(`${area} ${method} ${endpoint} ${status} ${errorCode} ${tier} ${role}`, () =>
    described(`${method} ${endpoint}`, SERVER, {
      ...{ 'http.request.method': method, 'http.route': endpoint, 'http.response.status_code': status },
      ...{ 'portico.area': area, 'error.type': errorCode, 'portico.tier': tier, 'portico.tool_role': role },
    }),
  );
}

function described(name: string, kind: number, attributes: Record<string, unknown>): Buffer {
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null);
  const written = given.map(([key, value]) => field(FIELD.attributes, attribute(key, value)));
  return Buffer.concat([field(FIELD.name, name), numberField(FIELD.kind, kind), ...written]);
}

/** OTLP's KeyValue: an integer as such, anything else as text. */
export function attribute(key: string, value: unknown): Buffer {
  const written = Number.isSafeInteger(value) ? numberField(3, value as number) : field(1, String(value));
  return Buffer.concat([field(1, key), field(2, written)]);
}

/** The request id is at the end of the attribute and has a fixed length. */
let requestIdAttribute: Buffer = NOTHING;

function requestIdOf(id: string): Buffer {
  if (requestIdAttribute.length === 0)
    requestIdAttribute = field(FIELD.attributes, attribute('portico.request_id', id));
  requestIdAttribute.write(id, requestIdAttribute.length - id.length, 'latin1');
  return requestIdAttribute;
}

const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(?:-|$)/;

/** A caller's trace is only linked: the caller decides neither whether ours is kept, nor its id. */
function linksTo(traceparent: string): Buffer {
  const [, traceId, spanId] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined) return NOTHING;
  return field(
    FIELD.links,
    Buffer.concat([field(1, Buffer.from(traceId, 'hex')), field(2, Buffer.from(spanId, 'hex'))]),
  );
}
