// Tracing: the spans of a request that has ended, as OTLP writes them in JSON: the request, its stages, and in them what
// they waited for. Written at once, because objects that the library would write afterwards take several times as long.
import { randomFillSync } from 'node:crypto';
import type { RequestEvent } from '#core/events.ts';
import { traceIdOf } from '#core/trace-id.ts';

/** Numbers of OTLP. */
const INTERNAL = 1;
const SERVER = 2;
const CLIENT = 3;
const FAILED = ',"status":{"code":2}';

/** A stage that took less holds nothing that could be looked at. */
const SHORTEST_MS = 0.02;

/** Separated by commas. None of them holds text from outside but the ids of the caller's trace, whose form is checked. */
export function writeSpans(request: RequestEvent): string {
  const { times, requestId, status, traceparent } = request;
  const { notes } = times;
  const trace = `{"traceId":"${traceIdOf(requestId)}","spanId":"`;
  const epoch = Date.now() - performance.now();
  const root = newSpanId();
  const failed = status >= 500 ? FAILED : '';
  const links = traceparent === undefined ? '' : linksTo(traceparent);
  let text = `${trace}${root}",${headOf(request)}${timesOf(epoch + times.began, epoch + times.ended)}${links}${failed}}`;
  if (notes === null) return text;
  const { count, what, names, began, ended } = notes;
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    const [from = 0, to = 0] = [began[at], ended[at]];
    if (what[at] !== 'stage' || to - from < SHORTEST_MS) continue;
    const id = newSpanId();
    ids[at] = id;
    const operation = names[at] === 'execute' && times.operation !== null ? operationOf(times.operation) : '';
    text += `,${trace}${id}","parentSpanId":"${root}","name":"${names[at]}","kind":${INTERNAL}${timesOf(epoch + from, epoch + to)}${operation}}`;
  }
  for (let at = 0; at < count; at++) {
    const system = what[at];
    if (system === 'stage') continue;
    const [from = 0, to = 0] = [began[at], ended[at]];
    let parent = root;
    for (let stage = 0; stage < count; stage++)
      if (ids[stage] !== undefined && (began[stage] ?? 0) <= from) parent = ids[stage] ?? root;
    const end = notes.failed[at] === true ? FAILED : '';
    text += `,${trace}${newSpanId()}","parentSpanId":"${parent}","name":"${system} ${names[at]}","kind":${CLIENT}${timesOf(epoch + from, epoch + to)},"attributes":[{"key":"db.system.name","value":{"stringValue":"${system}"}}]${end}}`;
  }
  return text;
}

const heads = new Map<string, string>();

/** Name, kind and attributes; of all that they are made of there are few values. */
function headOf({ area, endpoint, method, status, requestId, errorCode, key, tool }: RequestEvent): string {
  const tier = key?.tier;
  const role = tool?.role;
  const known = `${area} ${method} ${endpoint} ${status} ${errorCode} ${tier} ${role}`;
  let head = heads.get(known);
  if (head === undefined) {
    const attributes = {
      ...{ 'http.request.method': method, 'http.route': endpoint, 'http.response.status_code': status },
      ...{ 'portico.area': area, 'error.type': errorCode, 'portico.tier': tier, 'portico.tool_role': role },
    };
    const written = Object.entries(attributes).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [JSON.stringify(attributeOf(name, value))],
    );
    head = `"name":${JSON.stringify(`${method} ${endpoint}`)},"kind":${SERVER},"attributes":[${written.join(',')}`;
    heads.set(known, head);
  }
  return `${head},{"key":"portico.request_id","value":{"stringValue":"${requestId}"}}]`;
}

export const attributeOf = (key: string, value: unknown) => ({
  key,
  value: typeof value === 'number' ? { intValue: value } : { stringValue: String(value) },
});

const operationOf = (name: string): string =>
  `,"attributes":[${JSON.stringify(attributeOf('graphql.operation.name', name))}]`;

const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(?:-|$)/;

/** Whoever calls may say which trace of theirs it is part of, and does not decide whether it is kept, or under which id. */
function linksTo(traceparent: string): string {
  const [, traceId, spanId] = TRACEPARENT.exec(traceparent) ?? [];
  return traceId === undefined ? '' : `,"links":[{"traceId":"${traceId}","spanId":"${spanId}"}]`;
}

const timesOf = (from: number, to: number): string =>
  `,"startTimeUnixNano":"${nanoseconds(from)}","endTimeUnixNano":"${nanoseconds(to)}"`;

/** Unix milliseconds as nanoseconds, of which a number could not hold all digits. */
function nanoseconds(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  return `${whole}${String(Math.trunc((milliseconds - whole) * 1e6)).padStart(6, '0')}`;
}

const SPAN_ID = 16;
const bytes = Buffer.alloc(4_096);
let hex = '';
let spent = 0;

function newSpanId(): string {
  if (spent === hex.length) {
    hex = randomFillSync(bytes).toString('hex');
    spent = 0;
  }
  spent += SPAN_ID;
  return hex.slice(spent - SPAN_ID, spent);
}
