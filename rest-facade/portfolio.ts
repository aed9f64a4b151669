// REST facade: area A. The stages of a request, in the order of possible refusals.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Disclosure, NOTHING_DISCLOSED } from '#core/disclosure.ts';
import { Refusal } from '#core/errors.ts';
import { isId } from '#core/ids.ts';
import type { StageTimes } from '#core/stages.ts';
import { TIER_LIMITS } from '#core/tiers.ts';
import {
  type ActiveAdmission,
  type Admission,
  admitPartner,
  effectiveScopes,
  isActive,
  refusedNetwork,
  requireValidKey,
} from '#gateway/admission/admission.ts';
import type { FoundAdmission } from '#gateway/admission/admission-cache.ts';
import { requestLimits } from '#gateway/admission/request-limits.ts';
import type { Executed, PreparedDocument, Schemas } from '#gateway/execution/execute.ts';
import type { Gateway } from '#gateway/gateway.ts';
import { judgeUselessBody } from '#http/body.ts';
import { type AreaPolicy, Exchange } from '#http/exchange.ts';
import { routerPath } from '#http/path.ts';
import { toRefusal } from '#http/refusals.ts';
import type { Query } from '#versions/change.ts';
import { namedVersion, type ServedVersion } from '#versions/negotiate.ts';
import { answer } from './answer.ts';
import { portfolioError } from './errors.ts';
import { entityTag, positionOfStamp } from './etag.ts';
import { linkHeader } from './links.ts';
import { loadDocument } from './prepared-documents.ts';
import { readQuery } from './query.ts';
import { callOf, recordAttempt, recordUnauthenticated } from './recorded-calls.ts';
import { type Representation, represent, stamped } from './representation.ts';
import type { CachedResponse, CacheKey, ResponseCache } from './response-cache.ts';
import { routes } from './routes/index.ts';
import type { Route } from './routes/route.ts';

export const portfolioPolicy: AreaPolicy = {
  area: 'portfolio',
  headers: { 'Cache-Control': 'private, no-store' },
  unauthenticated: { prefix: 'address', limit: TIER_LIMITS.sandbox },
  writeError: portfolioError,
};

/** A route with what serves it. */
interface Service {
  gateway: Gateway;
  responses: ResponseCache;
  route: Route;
  document: PreparedDocument;
}

/** The parts of a request that can be read without a query to the database. */
interface ParsedRequest {
  /** The hash of a well-formed key. */
  key: Buffer;
  /** Null if the request names no well-formed client id. */
  clientId: string | null;
  /** A refusal if the query is malformed, or the body too large. */
  query: Query | Refusal;
  registryId: string | undefined;
  version: string | undefined;
  /** The lookup in the response cache; null if the request is certain to be refused. */
  cacheKey: CacheKey | null;
}

type Found = FoundAdmission<CachedResponse>;

/** A caller with a valid key, and either what was found or a refusal because of the key's networks or limits. */
interface Caller {
  admission: Admission;
  found: Found | Refusal;
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
    await exchange.respond(() => exchange.countByAddress(new Refusal('invalid_api_key')));
    recordUnauthenticated(exchange);
    return reply;
  }
  // Awaited before the key is checked: a body may arrive slowly, and the key be revoked in the meantime.
  const body = await judgeUselessBody(request.raw);
  const parsed = read(request, route, { key, registryId, body });
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
  if (caller instanceof Refusal) recordAttempt(exchange, key, status, { endpoint: endpointOf(route), registryId });
  else record(exchange, route, caller.admission, parsed, status, disclosure);
  return reply;
}

interface RequestParts {
  key: Buffer;
  registryId: string | undefined;
  body: Refusal | null;
}

function read(
  { headers, url }: FastifyRequest,
  { path }: Route,
  { key, registryId, body }: RequestParts,
): ParsedRequest {
  const query = body ?? lenientQuery(url);
  const version = namedVersion(headers);
  const cacheKey = query instanceof Refusal || version === undefined ? null : { path, registryId, version, query };
  return { key, clientId: namedClient(url, query), query, registryId, version, cacheKey };
}

/**
 * The caller's key, plan, client and grant, within the limits of the key and of its firm. A refusal for callers without
 * a valid key. A key that reached a limit within the last second is checked against the limit first, so that another
 * refusal costs no database query.
 *
 * A caller from a network that the key does not allow counts against its address, like callers without a key, and never
 * against the key: if the secret has leaked, the firm's own calls are not affected.
 */
async function identify(service: Service, exchange: Exchange, parsed: ParsedRequest): Promise<Caller | Refusal> {
  const { gateway } = service;
  const address = exchange.clientAddress;
  const recent = recentlyLimitedAdmission(gateway, address, parsed);
  if (recent === null) {
    const refusal = await exchange.refusedByAddress(parsed.key);
    if (refusal !== null) return refusal;
  } else {
    exchange.key = recent.key;
    const refusal = await limit(exchange, recent);
    if (refusal !== null) return { admission: recent, found: refusal };
  }
  const found = await findAdmission(service, exchange.times, parsed).catch(toRefusal);
  if (found instanceof Refusal) {
    exchange.key = null;
    return exchange.countByAddress(found);
  }
  const { admission } = found;
  const wrongNetwork = refusedNetwork(admission, address);
  if (wrongNetwork !== null) {
    const refusal = await exchange.countByAddress(wrongNetwork);
    // A refusal by the address's limit is not attributed to the key's firm.
    if (refusal === wrongNetwork) exchange.key = admission.key;
    return { admission, found: refusal };
  }
  exchange.key = admission.key;
  // It was counted above.
  if (recent !== null) return { admission, found };
  const refusal = await limit(exchange, admission);
  if (refusal === null) return { admission, found };
  const key = parsed.key.toString('latin1');
  for (const name of [key, `${key}${parsed.clientId}`]) gateway.recentlyLimited.set(name, admission);
  return { admission, found: refusal };
}

/**
 * The cached admission of a key that was over its limit; null also where the key may not be used from this address. For
 * another client it contains only the id in the request.
 */
function recentlyLimitedAdmission(
  { recentlyLimited }: Gateway,
  address: string,
  { key, clientId }: ParsedRequest,
): Admission | null {
  if (recentlyLimited.size === 0) return null;
  const text = key.toString('latin1');
  const same = recentlyLimited.get(`${text}${clientId}`);
  const known = same ?? recentlyLimited.get(text);
  if (known === undefined || refusedNetwork(known, address) !== null) return null;
  if (same !== undefined) return same;
  const client = clientId === null ? null : { id: clientId, reportingCurrency: '' };
  return { ...known, client, grant: null };
}

function findAdmission(
  { gateway, responses, route }: Service,
  times: StageTimes,
  parsed: ParsedRequest,
): Promise<Found> {
  const { key, clientId, cacheKey } = parsed;
  const findCached = (admission: ActiveAdmission) =>
    cacheKey === null ? undefined : responses.find(admission, cacheKey);
  const request = { key, clientId, horizon: route.stamp === 'horizon', findCached, times };
  return gateway.findAdmission(request).then(requireValidKey);
}

const limit = (exchange: Exchange, { key }: Admission): Promise<Refusal | null> => exchange.limit(requestLimits(key));

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

/**
 * Records a call with a valid key, whatever its result. "Not modified" confirms the content of the response, so it
 * counts as disclosed.
 */
function record(
  exchange: Exchange,
  route: Route,
  admission: Admission,
  { clientId, registryId }: ParsedRequest,
  status: number,
  disclosure: Disclosure | undefined,
): void {
  const { gateway, request, errorCode } = exchange;
  const bodiless = request.method === 'HEAD' && status === 200;
  gateway.events.emit('access', {
    ...callOf(exchange, status, { endpoint: endpointOf(route), registryId }),
    firmId: admission.key.firmId,
    keyId: admission.key.id,
    clientId: admission.client?.id ?? null,
    namedClientId: clientId,
    scopes: effectiveScopes(admission),
    grantId: admission.grant?.id,
    ...(disclosure === undefined || errorCode !== null
      ? {}
      : { disclosure: bodiless ? NOTHING_DISCLOSED : disclosure }),
  });
}

function lenientQuery(url: string): Query | Refusal {
  try {
    return readQuery(url);
  } catch (error) {
    return toRefusal(error);
  }
}

/** Works for malformed queries, too: the call is recorded for the client in any case. */
function namedClient(url: string, query: Query | Refusal): string | null {
  const named =
    query instanceof Refusal
      ? new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('client_id')
      : query.get('client_id')?.[0];
  return named != null && isId('user', named) ? named : null;
}

const endpointOf = ({ path }: Route): string => `GET ${path}`;

const pathOf = ({ path }: Route, registryId: string | undefined): string =>
  registryId === undefined ? path : path.replace(/\{\w+\}/, encodeURIComponent(registryId));
