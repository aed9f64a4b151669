// Gateway: the fast path for tools: a query whose fields the caller may all read, compiled and answered without Yoga.
import type { IncomingMessage } from 'node:http';
import { OperationTypeNode } from 'graphql';
import { Refusal } from '#core/errors.ts';
import type { Events } from '#core/events.ts';
import { isJsonObject } from '#core/json-object.ts';
import type { FindAdmission } from '../admission/admission-cache.ts';
import { recordReads } from '../admission/tool-reads.ts';
import { clientNamedBy, readsOf, type ToolRequest, viewFor } from '../admission/tools.ts';
import { judge } from './bounds.ts';
import { compiledOperation } from './compile.ts';
import { createContext, type Platform } from './context.ts';
import type { Schemas } from './execute.ts';
import { Run } from './run.ts';
import { authScopesOf } from './scopes.ts';
import type { OperationRequest, OutsideDocuments } from './tool-documents.ts';

const MAX_BYTES = 65_536;
const JSON_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i;

/** Whether Yoga would answer with `application/json`, and no other feature of Yoga is needed. */
export function takesFastPath({ method, url, headers }: IncomingMessage): boolean {
  const { accept = '*/*' } = headers;
  const length = Number(headers['content-length']);
  return (
    method === 'POST' &&
    url === '/graphql' &&
    JSON_TYPE.test(headers['content-type'] ?? '') &&
    headers['content-encoding'] === undefined &&
    (accept === '*/*' || accept === 'application/json') &&
    length > 0 &&
    length <= MAX_BYTES
  );
}

/** Throws Refusal `malformed_request` where the connection closes before the body is complete. */
export async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch (cause) {
    throw new Refusal('malformed_request', { cause });
  }
  return Buffer.concat(chunks).toString();
}

/** Answers with data only. Null in every other case: Yoga then processes the request from the start. */
type FastPath = (body: string, caller: ToolRequest) => Promise<string | null>;

export interface ToolsOptions {
  schemas: Schemas;
  platform: Platform;
  findAdmission: FindAdmission;
  events: Events;
  costLimit: number;
}

export function createFastPath(
  { schemas, platform, findAdmission, events, costLimit }: ToolsOptions,
  documents: OutsideDocuments,
): FastPath {
  async function answer(body: string, caller: ToolRequest): Promise<string | null> {
    const request = requestIn(body);
    if (request === null) return null;
    const known = documents.read(request.query);
    if (known.errors.length > 0) return null;
    const judged = judge(documents.schema, known, request, costLimit);
    if (judged === null || judged.errors !== undefined) return null;
    // Yoga executes failed operations again, so mutations are not tried here.
    if (judged.operation.operation !== OperationTypeNode.QUERY) return null;
    const compiled = compiledOperation(schemas.unguarded, known, judged.operation, judged.variables);
    if (compiled === null) return null;
    const reads = readsOf(known.document, request.operationName, request.variables ?? {});
    const view = await viewFor(findAdmission, caller, clientNamedBy(reads));
    const context = createContext(platform, { ...caller.service, view }, caller.times);
    const granted = authScopesOf(context);
    for (const scope of compiled.scopes) if (!granted[scope]) return null;
    const data = await new Run(context, judged.variables).data(compiled.complete);
    const { requested } = compiled;
    recordReads(events, caller, reads, {
      requested,
      carried: context.carried,
      data: data as Record<string, unknown>,
    });
    return JSON.stringify({ data });
  }

  // The error itself comes from Yoga, so that errors are written in only one place.
  return (body, caller) => answer(body, caller).catch(() => null);
}

/** The request in a body; null where it has other members than an operation and its variables. */
function requestIn(body: string): (OperationRequest & { query: string }) | null {
  const value: unknown = JSON.parse(body);
  if (!isJsonObject(value)) return null;
  const { query, variables = null, operationName = null, ...others } = value;
  const isRequest =
    typeof query === 'string' &&
    (variables === null || isJsonObject(variables)) &&
    (operationName === null || typeof operationName === 'string') &&
    Object.keys(others).length === 0;
  return isRequest ? { query, variables, operationName } : null;
}
