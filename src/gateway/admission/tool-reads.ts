// Gateway: records what tools read on behalf of a key in the client's access record.
import type { GraphQLError } from 'graphql';
import { type CarriedItems, type Disclosure, packNumbers, unpackNumbers } from '#core/disclosure.ts';
import { ERRORS, type ErrorCode } from '#core/errors.ts';
import type { Events } from '#core/events.ts';
import { isRegistryId, newId } from '#core/ids.ts';
import { disclosureOf, type RequestedFields } from '../execution/disclosed.ts';
import { effectiveScopes } from './admission.ts';
import type { ToolRead, ToolRequest } from './tools.ts';

/** Errors have our codes. */
interface Answer {
  /** The requested fields and the items under each root field, by response name. */
  requested: ReadonlyMap<string, RequestedFields>;
  carried: ReadonlyMap<string, CarriedItems>;
  data?: Readonly<Record<string, unknown>> | null | undefined;
  errors?: readonly GraphQLError[] | undefined;
}

/** Records each read, or its refusal, once. What the tool received is recorded even where another read was refused. */
export function recordReads(
  events: Events,
  { admission, service, requestId }: ToolRequest,
  reads: readonly ToolRead[],
  answer: Answer,
): void {
  if (admission === undefined || admission.client === null) return;
  const scopes = effectiveScopes(admission);
  const recorded = new Map<string, RecordedRead>();
  for (const read of reads) {
    const errorCode = outcomeOf(read, answer);
    if (errorCode === undefined) continue;
    const name = `${read.field} ${read.registryId}`;
    const before = recorded.get(name);
    if (errorCode !== null) {
      if (before === undefined) recorded.set(name, { read, errorCode, disclosures: [] });
      continue;
    }
    const disclosure = disclosureOf(answer.requested.get(read.key), answer.carried.get(read.key), scopes);
    recorded.set(name, { read, errorCode, disclosures: merge(before?.disclosures ?? [], disclosure) });
  }
  let id = requestId;
  const lines = [...recorded.values()].flatMap(
    ({ disclosures, ...line }): (Omit<RecordedRead, 'disclosures'> & { disclosure?: Disclosure })[] =>
      disclosures.length === 0 ? [line] : disclosures.map((disclosure) => ({ ...line, disclosure })),
  );
  for (const { read, errorCode, disclosure } of lines) {
    events.emit('access', {
      requestId: id,
      at: new Date().toISOString(),
      firmId: admission.key.firmId,
      keyId: admission.key.id,
      clientId: admission.client.id,
      endpoint: `GraphQL ${read.field}`,
      registryId: read.registryId !== null && isRegistryId(read.registryId) ? read.registryId : null,
      scopes,
      status: errorCode === null ? 200 : ERRORS[errorCode].status,
      errorCode,
      ...{ toolRole: service.role, toolId: service.tokenId },
      ...(disclosure === undefined ? {} : { disclosure }),
    });
    // Each record has its own id. The first has the request's.
    id = newId('request');
  }
}

/** One of the operation's reads, with what its responses disclosed: several where they had different fields. */
interface RecordedRead {
  read: ToolRead;
  errorCode: ErrorCode | null;
  disclosures: Disclosure[];
}

/** Merges the items into the disclosure with the same fields, if there is one. */
function merge(disclosures: readonly Disclosure[], more: Disclosure): Disclosure[] {
  const same = disclosures.find(({ scopes, includes }) => scopes === more.scopes && includes === more.includes);
  if (same === undefined) return [...disclosures, more];
  const items = same.items === null || more.items === null ? null : union(same.items, more.items);
  const removed =
    same.removed === null || more.removed === null ? (same.removed ?? more.removed) : union(same.removed, more.removed);
  return disclosures.map((each) => (each === same ? { ...same, items, removed } : each));
}

const union = (one: Buffer, other: Buffer): Buffer => packNumbers([...unpackNumbers(one), ...unpackNumbers(other)]);

/** Null: the read succeeded; undefined: it was not executed, for example because of a directive. */
function outcomeOf({ key }: ToolRead, { data, errors = [] }: Answer): ErrorCode | null | undefined {
  if (data?.[key] !== null && data?.[key] !== undefined) return null;
  const error = errors.find(({ path }) => path === undefined || path[0] === key);
  if (error !== undefined) return error.extensions.code as ErrorCode;
  return data?.[key] === null ? null : undefined;
}
