// REST facade: area A. The whole path of a request, in the order in which it may be refused.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '#core/errors.ts';
import { isRegistryId } from '#core/ids.ts';
import { TIER_LIMITS } from '#core/tiers.ts';
import { type Admission, admitPartner, effectiveScopes, requireValidKey } from '#gateway/admission.ts';
import type { PreparedDocument, Schemas } from '#gateway/execute.ts';
import type { Gateway } from '#gateway/gateway.ts';
import type { Query } from '#versions/change.ts';
import type { ServedVersion } from '#versions/negotiate.ts';
import { type Answer, type AreaManners, Call, MOST_BODY } from './call.ts';
import { loadDocument } from './documents.ts';
import { portfolioError, toRefusal } from './errors.ts';
import { entityTag, matches } from './etag.ts';
import { linkHeader, type PaginationBody } from './links.ts';
import { readParameters } from './parameters.ts';
import { readQuery } from './query.ts';
import { routes } from './routes/index.ts';
import type { Route } from './routes/route.ts';

export const portfolioManners: AreaManners = {
  area: 'portfolio',
  strangers: { prefix: 'address', limit: TIER_LIMITS.sandbox },
  writeError: portfolioError,
};

export function registerPortfolio(app: FastifyInstance, gateway: Gateway, schemas: Schemas): void {
  for (const route of routes) {
    const document = loadDocument(route.document, schemas);
    app.route({
      method: ['GET', 'HEAD'],
      url: route.path.replace(/\{(\w+)\}/g, ':$1'),
      handler: (request, reply) => serve(gateway, route, document, request, reply),
    });
  }
}

async function serve(
  gateway: Gateway,
  route: Route,
  document: PreparedDocument,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const registryId = (request.params as { registry_id?: string }).registry_id;
  // The router takes a trailing slash for an empty id.
  if (registryId === '') {
    reply.callNotFound();
    return reply;
  }
  const call = new Call(gateway, request, portfolioManners);
  const query = lenientQuery(request.url);
  const [clientId = null] = query instanceof Refusal ? [] : (query.get('client_id') ?? []);
  const { authorization } = request.headers;
  let admission: Admission | null = null;

  const answer = await call.settle(reply, route.path, async () => {
    // Key, and with it plan, client and grant, read afresh.
    admission = await gateway
      .admit(authorization, clientId, route.stamp === 'horizon')
      .then(requireValidKey)
      .catch((error: unknown) => call.refuseStranger(toRefusal(error)));
    // Rate limit.
    await call.limit('key', `key:${admission.key.lineageId}`, TIER_LIMITS[admission.key.tier]);
    // Version.
    const version = gateway.negotiator.negotiate(request.headers['x-service-version'] as string | undefined);
    Object.assign(call.headers, version.headers);
    // Parameters.
    requireSmallBody(request);
    if (query instanceof Refusal) throw query;
    const variables = readVariables(gateway, route, version, query);
    if (registryId !== undefined) variables.registryId = registryId;
    route.check?.(variables, gateway.cursors);
    // Plan and grant; scopes and asset are the schema's to judge.
    const body = await gateway.execute(document, variables, admitPartner(admission));
    const served = version.downgradeResponse(route.operation, route.envelope === 'data' ? { data: body } : body);
    if (route.paged) call.headers.Link = linkHeader(pathOf(request.url), query, paginationOf(body));
    return conditional(call, version.date, JSON.stringify(served), {
      stamped: route.stamp !== 'none',
      walking: variables.delta === true,
    });
  });

  record(call, route, admission, registryId, answer.status);
  return reply;
}

/** The operation's variables; a refusal names a parameter as the caller's version does. */
function readVariables(
  gateway: Gateway,
  { operation, parameters }: Route,
  version: ServedVersion,
  query: Query,
): Record<string, unknown> {
  try {
    return readParameters(parameters, version.upgradeRequest(operation, query), gateway.reference.current());
  } catch (error) {
    if (!(error instanceof Refusal) || error.param === undefined) throw error;
    const param = version.nameOf(operation, query, error.param);
    throw new Refusal(error.code, { message: error.message.replace(error.param, param), param });
  }
}

/** 304 where the caller has this representation already. */
function conditional(call: Call, version: string, body: string, of: { stamped: boolean; walking: boolean }): Answer {
  const tag = entityTag(version, body, of);
  call.headers.ETag = tag;
  call.headers['Cache-Control'] = 'private, no-cache';
  return matches(call.request.headers['if-none-match'], tag) ? { status: 304, body: null } : { status: 200, body };
}

/** Tells of a call with a valid key that named an existing client, however it ended. */
function record(
  { gateway, requestId }: Call,
  route: Route,
  admission: Admission | null,
  registryId: string | undefined,
  status: number,
): void {
  if (admission === null || admission.client === null) return;
  gateway.events.emit('access', {
    requestId,
    at: new Date(gateway.clock.now()).toISOString(),
    firmId: admission.key.firmId,
    keyId: admission.key.id,
    clientId: admission.client.id,
    endpoint: `GET ${route.path}`,
    registryId: registryId !== undefined && isRegistryId(registryId) ? registryId : null,
    scopes: effectiveScopes(admission),
    status,
  });
}

function lenientQuery(url: string): Map<string, string[]> | Refusal {
  try {
    return readQuery(url);
  } catch (error) {
    return toRefusal(error);
  }
}

/** No call has use for a body here; a large one is not even skipped over. */
function requireSmallBody({ headers }: FastifyRequest): void {
  if (Number(headers['content-length'] ?? 0) > MOST_BODY) throw new Refusal('payload_too_large');
}

const pathOf = (url: string): string => url.split('?', 1)[0] ?? url;

const paginationOf = (body: unknown): PaginationBody => (body as { pagination: PaginationBody }).pagination;
