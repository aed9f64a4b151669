// REST facade: area A. A request's way through its stages, in the order in which they may refuse.
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
import type { PreparedDocument, Schemas } from '#gateway/execution/execute.ts';
import type { Gateway } from '#gateway/gateway.ts';
import { hasBody, judgeUselessBody } from '#http/body.ts';
import { type AreaPolicy, Exchange } from '#http/exchange.ts';
import { routerPath } from '#http/path.ts';
import { toRefusal } from '#http/refusals.ts';
import type { Query } from '#versions/change.ts';
import { namedVersion, type ServedVersion } from '#versions/negotiate.ts';
import { answer } from './answer.ts';
import { loadDocument } from './documents.ts';
import { portfolioError } from './errors.ts';
import { entityTag } from './etag.ts';
import { linkHeader } from './links.ts';
import { readQuery } from './query.ts';
import { callOf, recordAttempt, recordStranger } from './recorded-calls.ts';
import { type Representation, represent, stamped } from './representation.ts';
import type { AskedResponse, CachedResponse, ResponseCache } from './response-cache.ts';
import { routes } from './routes/index.ts';
import type { Route } from './routes/route.ts';

export const portfolioPolicy: AreaPolicy = {
  area: 'portfolio',
  headers: { 'Cache-Control': 'private, no-store' },
  unauthenticated: { prefix: 'address', limit: TIER_LIMITS.sandbox },
  writeError: portfolioError,
};

/** A route with what it is served by. */
interface Service {
  gateway: Gateway;
  responses: ResponseCache;
  route: Route;
  document: PreparedDocument;
}

/** A request as far as it can be read without asking anybody. */
interface Asking {
  /** The hash of a key of sound form. */
  key: Buffer;
  /** Null where none is named that has the form of a client's id. */
  clientId: string | null;
  /** A refusal where the query cannot be read, or there is a body that is too large. */
  query: Query | Refusal;
  registryId: string | undefined;
  version: string | undefined;
  /** What a kept response is found by; null where it is certain that the request is refused. */
  cacheable: AskedResponse | null;
}

type Found = FoundAdmission<CachedResponse>;

/** A caller with a valid key, and what was found of it, or the refusal for being elsewhere than the key allows or over its limit. */
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
  // The router takes a trailing slash for an empty id.
  if (registryId === '') {
    reply.callNotFound();
    return reply;
  }
  const exchange = new Exchange(gateway, reply, portfolioPolicy, route.path);
  const key = gateway.readKey(request.headers.authorization);
  // Not of the form of a key: the database is not asked.
  if (key === null) {
    await exchange.respond(() => exchange.unauthenticated(new Refusal('invalid_api_key')));
    recordStranger(exchange);
    return reply;
  }
  // Before anybody is asked: it may take long to come, and the key be revoked meanwhile.
  const body = hasBody(request.raw) ? await judgeUselessBody(request.raw) : null;
  const asking = read(request, route, { key, registryId, body });
  const caller = await identify(service, exchange, asking).catch(toRefusal);
  exchange.times.enter('admit');
  let disclosure: Disclosure | undefined;
  const status = await exchange.respond(async () => {
    const found = caller instanceof Refusal ? caller : caller.found;
    if (found instanceof Refusal) return found;
    const version = negotiate(exchange, asking);
    const query = readable(asking);
    const kept = stillValid(found);
    service.responses.count(kept !== null);
    if (kept !== null) {
      disclosure = kept.disclosure;
      return represent(exchange, kept, () => stamped(kept, route, found));
    }
    const { body, ...fresh } = await execute(service, exchange.times, asking, { version, query, found });
    disclosure = fresh.disclosure;
    return represent(exchange, fresh, () => body);
  });
  if (caller instanceof Refusal) recordAttempt(exchange, key, status, { endpoint: endpointOf(route), registryId });
  else record(exchange, route, caller.admission, asking, status, disclosure);
  return reply;
}

interface Known {
  key: Buffer;
  registryId: string | undefined;
  body: Refusal | null;
}

function read({ headers, url }: FastifyRequest, { path }: Route, { key, registryId, body }: Known): Asking {
  const query = body ?? lenientQuery(url);
  const version = namedVersion(headers);
  const cacheable = query instanceof Refusal || version === undefined ? null : { path, registryId, version, query };
  return { key, clientId: namedClient(url, query), query, registryId, version, cacheable };
}

/**
 * The caller's key, plan, client and grant, within the limits of the key and of its firm. A refusal for callers without a valid key. Where a limit
 * was reached within the last second it is asked first: refusing again costs no database call.
 *
 * A caller from a network that the key does not allow counts against its address, as callers without a key do, and never against
 * the key: where somebody else has its secret, its firm's own calls go on.
 */
async function identify(service: Service, exchange: Exchange, asking: Asking): Promise<Caller | Refusal> {
  const { recentlyLimited } = service.gateway;
  const address = exchange.clientAddress;
  const limited = recentlyLimited.size === 0 ? undefined : lately(service.gateway, asking);
  const known = limited !== undefined && refusedNetwork(limited, address) === null ? limited : undefined;
  if (known !== undefined) {
    exchange.key = known.key;
    const refusal = await limit(exchange, known);
    if (refusal !== null) return { admission: known, found: refusal };
  }
  const refused = known === undefined ? await exchange.refusedAsStranger(asking.key) : null;
  if (refused !== null) return refused;
  const found = await admit(service, exchange.times, asking).catch(toRefusal);
  if (found instanceof Refusal) return exchange.unauthenticated(found);
  const { admission } = found;
  const elsewhere = refusedNetwork(admission, address);
  if (elsewhere !== null) {
    const refusal = await exchange.unauthenticated(elsewhere);
    // The limit of an address is no news to the key's firm.
    if (refusal === elsewhere) exchange.key = admission.key;
    return { admission, found: refusal };
  }
  exchange.key = admission.key;
  const refusal = known === undefined ? await limit(exchange, admission) : null;
  if (refusal !== null) {
    const key = asking.key.toString('latin1');
    for (const name of [key, `${key}${asking.clientId}`]) recentlyLimited.set(name, admission);
  }
  return { admission, found: refusal ?? found };
}

/** What is known of a key that was over its limit: of another client only that it was named. */
function lately({ recentlyLimited }: Gateway, { key, clientId }: Asking): Admission | undefined {
  const text = key.toString('latin1');
  const same = recentlyLimited.get(`${text}${clientId}`);
  const other = same ?? recentlyLimited.get(text);
  if (same !== undefined || other === undefined) return same;
  const client = clientId === null ? null : { id: clientId, reportingCurrency: '' };
  return { ...other, client, grant: null };
}

function admit({ gateway, responses, route }: Service, times: StageTimes, asking: Asking): Promise<Found> {
  const { key, clientId, cacheable } = asking;
  const made = (admission: ActiveAdmission) => (cacheable === null ? undefined : responses.find(admission, cacheable));
  return gateway.admit({ key, clientId, horizon: route.stamp === 'horizon', made, times }).then(requireValidKey);
}

const limit = (exchange: Exchange, { key }: Admission): Promise<Refusal | null> => exchange.limit(requestLimits(key));

function negotiate(exchange: Exchange, { version }: Asking): ServedVersion {
  const served = exchange.gateway.negotiator.negotiate(version);
  Object.assign(exchange.headers, served.headers);
  return served;
}

/** Throws Refusal. */
function readable({ query }: Asking): Query {
  if (query instanceof Refusal) throw query;
  return query;
}

/** What was answered before, where the database has just said that it still holds. */
const stillValid = ({ made, moment }: Found): CachedResponse | null =>
  made !== null && moment.instant < made.endsAt ? made : null;

interface Executable {
  version: ServedVersion;
  query: Query;
  found: Found;
}

async function execute(
  service: Service,
  times: StageTimes,
  asking: Asking,
  { version, query, found }: Executable,
): Promise<Representation & { body: Buffer }> {
  const { gateway, responses, route, document } = service;
  const { admission, moment, horizon } = found;
  const { registryId, cacheable } = asking;
  const asked = { route, document, version, query, registryId, times };
  const admitted = () => admitPartner(admission, { horizon, position: moment.position });
  const name = cacheable !== null && isActive(admission) ? responses.nameToKeep(admission, cacheable) : null;
  const now = name === null ? undefined : moment.instant;
  const { text, pagination, disclosure, delta, endsAt } = await answer(gateway, asked, admitted, now);
  const body = Buffer.from(text);
  const carriesStamp = route.stamp !== 'none';
  const etag = entityTag(version.date, body, { stamped: carriesStamp });
  const link = pagination === null ? undefined : linkHeader(pathOf(route, registryId), query, pagination);
  if (name !== null && !delta)
    responses.keep(name, body, { carriesStamp, seen: moment.seen, etag, link, endsAt: endsAt ?? 0, disclosure });
  return { etag, link, disclosure, body };
}

/** Tells of a call with a valid key, however it ended. "Not modified" confirms what the answer would carry. */
function record(
  exchange: Exchange,
  route: Route,
  admission: Admission,
  { clientId, registryId }: Asking,
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

/** Also of a query that cannot be decoded as a whole: the call is on the client's record either way. */
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
