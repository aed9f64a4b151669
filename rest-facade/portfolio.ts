// REST facade: area A. The stages of a request, in the order of possible refusals.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Disclosure } from '#core/disclosure.ts';
import { Refusal } from '#core/errors.ts';
import type { StageTimes } from '#core/stages.ts';
import { TIER_LIMITS } from '#core/tiers.ts';
import { admitPartner, isActive } from '#gateway/admission/admission.ts';
import type { Executed, PreparedDocument, Schemas } from '#gateway/execution/execute.ts';
import type { Gateway } from '#gateway/gateway.ts';
import { judgeUselessBody } from '#http/body.ts';
import { type AreaPolicy, Exchange } from '#http/exchange.ts';
import { routerPath } from '#http/path.ts';
import { errorBody, toRefusal } from '#http/refusals.ts';
import type { Query } from '#versions/change.ts';
import type { ServedVersion } from '#versions/negotiate.ts';
import { answer } from './answer.ts';
import { entityTag, positionOfStamp } from './etag.ts';
import { linkHeader } from './links.ts';
import { type Found, identify, type RouteService } from './portfolio/caller.ts';
import { type ParsedRequest, parseRequest } from './portfolio/parsed-request.ts';
import { loadDocument } from './prepared-documents.ts';
import { recordAttempt, recordCall, recordUnauthenticated } from './recorded-calls.ts';
import { type Representation, represent, stamped } from './representation.ts';
import type { CachedResponse, ResponseCache } from './response-cache.ts';
import { routes } from './routes/index.ts';
import type { Route } from './routes/route.ts';

export const portfolioPolicy: AreaPolicy = {
  area: 'portfolio',
  headers: { 'Cache-Control': 'private, no-store' },
  unauthenticated: { prefix: 'address', limit: TIER_LIMITS.sandbox },
  writeError: errorBody,
};

interface Service extends RouteService {
  document: PreparedDocument;
}

export function registerPortfolio(
  app: FastifyInstance,
  gateway: Gateway,
  schemas: Schemas,
  responses: ResponseCache,
): void {
  for (const route of routes) {
    const service = { gateway, responses, route, document: loadDocument(route.document, schemas) };
    app.route({
      method: ['GET', 'HEAD'],
      url: routerPath(route.path),
      handler: (request, reply) => serve(service, request, reply),
    });
  }
}

async function serve(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { gateway, route } = service;
  const { registry_id: registryId } = request.params as { registry_id?: string };
  // The router treats a trailing slash as an empty id.
  if (registryId === '') {
    reply.callNotFound();
    return reply;
  }
  const exchange = new Exchange(gateway, reply, portfolioPolicy, route.path);
  const key = gateway.readKey(request.headers.authorization);
  // Not well-formed: no database query is needed.
  if (key === null) {
    await exchange.respond(() => exchange.countByAddress(unreadableKey(request.headers.authorization)));
    recordUnauthenticated(exchange);
    return reply;
  }
  // Awaited before the key is checked: a body may arrive slowly, and the key be revoked in the meantime.
  const body = await judgeUselessBody(request.raw);
  const parsed = parseRequest(request, route, { key, registryId, body });
  const caller = await identify(service, exchange, parsed).catch(toRefusal);
  exchange.times.enter('admit');
  let disclosure: Disclosure | undefined;
  const status = await exchange.respond(async () => {
    const found = caller instanceof Refusal ? caller : caller.found;
    if (found instanceof Refusal) return found;
    const version = negotiate(exchange, parsed);
    const query = requireQuery(parsed);
    const cached = validCached(found);
    service.responses.count(cached !== null);
    if (cached !== null) {
      disclosure = cached.disclosure;
      exchange.times.enter('represent');
      return represent(exchange, cached, () => stamped(cached, route, found));
    }
    const { body, ...fresh } = await execute(service, exchange.times, parsed, { version, query, found });
    disclosure = fresh.disclosure;
    return represent(exchange, fresh, () => body);
  });
  const target = { endpoint: endpointOf(route), registryId };
  if (caller instanceof Refusal) recordAttempt(exchange, key, status, target);
  else recordCall(exchange, status, target, { caller: caller.admission, clientId: parsed.clientId, disclosure });
  return reply;
}

const NO_KEY = 'No API key was sent: send the header "Authorization: Bearer", followed by the secret.';
const MALFORMED_KEY =
  'The header Authorization has no well-formed API key: send "Bearer", a space and the whole secret.';

const unreadableKey = (authorization: string | undefined): Refusal =>
  new Refusal('invalid_api_key', { message: authorization === undefined ? NO_KEY : MALFORMED_KEY });

function negotiate(exchange: Exchange, { version }: ParsedRequest): ServedVersion {
  const served = exchange.gateway.negotiator.negotiate(version);
  Object.assign(exchange.headers, served.headers);
  return served;
}

/** Throws Refusal. */
function requireQuery({ query }: ParsedRequest): Query {
  if (query instanceof Refusal) throw query;
  return query;
}

/** The cached response, if the database has just confirmed that it is valid. */
const validCached = ({ cached, moment }: Found): CachedResponse | null =>
  cached !== null && moment.instant < cached.endsAt ? cached : null;

const DAY_SECONDS = 86_400;

/** Unix second from which time alone makes the response outdated. */
const endOfValidity = ({ endsAt, endsWithDay }: Pick<Executed, 'endsAt' | 'endsWithDay'>, now: number): number =>
  endsWithDay ? Math.min(endsAt, (Math.floor(now / DAY_SECONDS) + 1) * DAY_SECONDS) : endsAt;

interface Executable {
  version: ServedVersion;
  query: Query;
  found: Found;
}

async function execute(
  service: Service,
  times: StageTimes,
  parsed: ParsedRequest,
  { version, query, found }: Executable,
): Promise<Representation & { body: Buffer }> {
  const { gateway, responses, route, document } = service;
  const { admission, moment, horizon } = found;
  const { registryId, cacheKey } = parsed;
  const request = { route, document, version, query, registryId, times };
  const admitted = () => admitPartner(admission, { horizon, position: moment.position });
  const name = cacheKey !== null && isActive(admission) ? responses.nameToCache(admission, cacheKey) : null;
  const { text, pagination, disclosure, delta, ...ends } = await answer(gateway, request, admitted);
  const body = Buffer.from(text);
  const carriesStamp = route.stamp !== 'none';
  const stampAt = carriesStamp ? positionOfStamp(body) : null;
  const etag = entityTag(version.date, body, stampAt);
  const link = pagination === null ? undefined : linkHeader(pathOf(route, registryId), query, pagination);
  const response = { etag, link, disclosure, body };
  if (name !== null && !delta && carriesStamp === (stampAt !== null)) {
    const endsAt = endOfValidity(ends, moment.instant);
    responses.store(name, { ...response, stampAt, validAsOf: moment.snapshot, endsAt });
  }
  return response;
}

const endpointOf = ({ path }: Route): string => `GET ${path}`;

const pathOf = ({ path }: Route, registryId: string | undefined): string =>
  registryId === undefined ? path : path.replace(/\{\w+\}/, encodeURIComponent(registryId));
