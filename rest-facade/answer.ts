// REST facade: a partner's response, for the route's handler and for a client's preview.

import { Refusal } from '#core/errors.ts';
import type { StageTimes } from '#core/stages.ts';
import type { Partner } from '#gateway/admission/admission.ts';
import type { Executed, PreparedDocument } from '#gateway/execution/execute.ts';
import type { Gateway } from '#gateway/gateway.ts';
import type { Query } from '#versions/change.ts';
import type { ServedVersion } from '#versions/negotiate.ts';
import type { PaginationBody } from './links.ts';
import { readParameters } from './parameters.ts';
import type { Route } from './routes/route.ts';

export interface RouteRequest {
  route: Route;
  document: PreparedDocument;
  version: ServedVersion;
  query: Query;
  /** The registry id of the path, if the route has one. */
  registryId: string | undefined;
  times?: StageTimes;
}

export interface RouteAnswer extends Pick<Executed, 'disclosure' | 'endsAt' | 'endsWithDay'> {
  /** The exact text of the body. */
  text: string;
  /** Null if the route is not paged. */
  pagination: PaginationBody | null;
  /** Whether only changes were requested. */
  delta: boolean;
}

/**
 * Reads the parameters, then admits the partner, then executes, which is also the order of refusals. Throws Refusal,
 * with parameters named as in the caller's version. Scopes and access to the asset are checked by the schema.
 */
export async function answer(gateway: Gateway, request: RouteRequest, admit: () => Partner): Promise<RouteAnswer> {
  const { route, document, version, registryId, times } = request;
  try {
    const variables = readVariables(gateway, request);
    if (registryId !== undefined) variables.registryId = registryId;
    route.check?.(variables, gateway.cursors);
    const partner = admit();
    const { body, ...executed } = await gateway.execute(document, variables, partner, times);
    // Copied before an older version's changes, which may modify the body in place.
    const pagination = route.paged ? { ...(body as { pagination: PaginationBody }).pagination } : null;
    const served = version.downgradeResponse(route.operation, route.envelope === 'data' ? { data: body } : body);
    return { ...executed, text: JSON.stringify(served), pagination, delta: variables.delta === true };
  } catch (error) {
    throw withCallersParameter(error, request);
  }
}

const readVariables = (gateway: Gateway, { route, version, query }: RouteRequest): Record<string, unknown> =>
  readParameters(route.parameters, version.upgradeRequest(route.operation, query), gateway.reference.current());

function withCallersParameter(error: unknown, { route, version, query }: RouteRequest): unknown {
  if (!(error instanceof Refusal) || error.param === undefined) return error;
  const param = version.nameOf(route.operation, query, error.param);
  if (param === error.param) return error;
  return new Refusal(error.code, { message: error.message.replace(error.param, param), param });
}
