// Gateway: what tools read as a key, told to the client's access record.
import type { GraphQLError } from 'graphql';
import type { Clock } from '#core/clock.ts';
import { ERRORS, type ErrorCode } from '#core/errors.ts';
import type { Events } from '#core/events.ts';
import { isRegistryId, newId } from '#core/ids.ts';
import { effectiveScopes } from './admission.ts';
import type { ToolRead, ToolRequest } from './tools.ts';

export interface ToolReadsRecorder {
  events: Events;
  clock: Clock;
}

/** `codeOf` says which of our codes an error has. */
interface Answer {
  data?: Readonly<Record<string, unknown>> | null | undefined;
  errors?: readonly GraphQLError[] | undefined;
  codeOf: (error: unknown) => ErrorCode;
}

/**
 * Tells of each thing that was read, or that the tool was refused, once; nothing that reached the tool goes untold because
 * something else was refused.
 */
export function recordReads(
  { events, clock }: ToolReadsRecorder,
  { admission, service, requestId }: ToolRequest,
  reads: readonly ToolRead[],
  answer: Answer,
): void {
  if (admission === undefined || admission.client === null) return;
  const told = new Map<string, { read: ToolRead; errorCode: ErrorCode | null }>();
  for (const read of reads) {
    const errorCode = endOf(read, answer);
    const name = `${read.field} ${read.registryId}`;
    if (errorCode !== undefined && told.get(name)?.errorCode !== null) told.set(name, { read, errorCode });
  }
  let id = requestId;
  for (const { read, errorCode } of told.values()) {
    events.emit('access', {
      requestId: id,
      at: new Date(clock.now()).toISOString(),
      firmId: admission.key.firmId,
      keyId: admission.key.id,
      clientId: admission.client.id,
      endpoint: `GraphQL ${read.field}`,
      registryId: read.registryId !== null && isRegistryId(read.registryId) ? read.registryId : null,
      scopes: effectiveScopes(admission),
      status: errorCode === null ? 200 : ERRORS[errorCode].status,
      errorCode,
      ...{ toolRole: service.role, toolId: service.tokenId },
    });
    // A record has an id of its own: the request's is the first one's.
    id = newId('request');
  }
}

/** Null: it reached the tool; undefined: it was not asked for after all, as where a directive left it out. */
function endOf({ key }: ToolRead, { data, errors = [], codeOf }: Answer): ErrorCode | null | undefined {
  if (data?.[key] !== null && data?.[key] !== undefined) return null;
  const error = errors.find(({ path }) => path === undefined || path[0] === key);
  if (error !== undefined) return codeOf(error);
  return data?.[key] === null ? null : undefined;
}
