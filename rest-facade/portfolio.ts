// REST facade: area A. The whole path of a request, in the order in which it may be refused.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { emptied } from '#core/emptied.ts';
import { Refusal } from '#core/errors.ts';
import { isRegistryId } from '#core/ids.ts';
import { ownTurn } from '#core/own-turn.ts';
import { TIER_LIMITS } from '#core/tiers.ts';
import {
  type Admission,
  type AdmissionAsked,
  admitPartner,
  effectiveScopes,
  requireValidKey,
} from '#gateway/admission/admission.ts';
import type { PreparedDocument, Schemas } from '#gateway/execution/execute.ts';
import type { Gateway } from '#gateway/gateway.ts';
import { MAX_BODY } from '#http/body.ts';
import { type Answer, type AreaPolicy, Exchange } from '#http/exchange.ts';
import { pathOf, routerPath } from '#http/path.ts';
import { toRefusal } from '#http/refusals.ts';
import { answer } from './answer.ts';
import { loadDocument } from './documents.ts';
import { portfolioError } from './errors.ts';
import { entityTag, matches } from './etag.ts';
import { linkHeader, type PaginationBody } from './links.ts';
import { readQuery } from './query.ts';
import { Revalidation } from './revalidation.ts';
import { routes } from './routes/index.ts';
import type { Route } from './routes/route.ts';

export const portfolioPolicy: AreaPolicy = {
  area: 'portfolio',
  headers: { 'Cache-Control': 'private, no-store' },
  unauthenticated: { prefix: 'address', limit: TIER_LIMITS.sandbox },
  writeError: portfolioError,
};

/** A route with what is kept for it as long as the process lives. */
interface Served {
  route: Route;
  document: PreparedDocument;
  revalidation: Revalidation;
}

export function registerPortfolio(app: FastifyInstance, gateway: Gateway, schemas: Schemas): void {
  for (const route of routes) {
    const served = { route, document: loadDocument(route.document, schemas), revalidation: new Revalidation() };
    app.route({
      method: ['GET', 'HEAD'],
      url: routerPath(route.path),
      handler: (request, reply) => serve(gateway, served, request, reply),
    });
  }
}

async function serve(
  gateway: Gateway,
  { route, document, revalidation }: Served,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const registryId = (request.params as { registry_id?: string }).registry_id;
  // The router takes a trailing slash for an empty id.
  if (registryId === '') {
    reply.callNotFound();
    return reply;
  }
  const exchange = new Exchange(gateway, reply, portfolioPolicy, route.path);
  const query = lenientQuery(request.url);
  const [clientId = null] = query instanceof Refusal ? [] : (query.get('client_id') ?? []);
  const who: Caller = { key: gateway.readKey(request.headers.authorization), clientId, admission: null };

  const status = await exchange.respond(async () => {
    // Key, and with it plan, client and grant, as the database has them now; rate limit.
    const held = revalidation.find(who.key, request);
    const horizon = route.stamp === 'horizon';
    let admission = await admit(exchange, who, { horizon: horizon && !held });
    // Version.
    const version = gateway.negotiator.negotiate(request.headers['x-service-version'] as string | undefined);
    Object.assign(exchange.headers, version.headers);
    // Parameters.
    requireSmallBody(request);
    if (query instanceof Refusal) throw query;
    // What the caller holds may be what it would get: the same URL was judged when that was made.
    if (held && revalidation.confirm(held, request, admission)) return unmodified(exchange, held);
    if (held && horizon) admission = await readAfresh(exchange, who, { horizon });
    const asked = { route, document, version, query, registryId };
    await ownTurn();
    // Plan and grant.
    const { text, body, variables } = emptied(await answer(gateway, asked, () => admitPartner(admission)));
    if (route.paged) exchange.headers.Link = linkHeader(pathOf(request.url), query, paginationOf(body));
    const bytes = Buffer.from(text);
    const tag = entityTag(version.date, bytes, { stamped: route.stamp !== 'none', walking: variables.delta === true });
    const settled = { tag, link: exchange.headers.Link };
    if (!matches(request.headers['if-none-match'], tag)) return tagged(exchange, settled, { status: 200, body: bytes });
    if (variables.delta !== true) revalidation.keep(who.key, request, admission, settled, body);
    return unmodified(exchange, settled);
  });

  record(exchange, route, who.admission, registryId, status);
  return reply;
}

type Wishes = Pick<AdmissionAsked, 'horizon'>;

interface Caller {
  /** Hash of a key of sound form; null for anything else. */
  key: Buffer | null;
  clientId: string | null;
  /** What is known of a valid key and its grant; null before, and where there is none. */
  admission: Admission | null;
}

/**
 * The caller's key, plan, client and grant, within its limit. Of a key that was over its limit a moment ago the limit comes
 * first: turning it away again costs no database call. Throws Refusal.
 */
async function admit(exchange: Exchange, who: Caller, wishes: Wishes): Promise<Admission> {
  const { limited } = exchange.gateway;
  const recalled = limited.size === 0 ? undefined : limited.get(nameOf(who));
  if (recalled !== undefined) {
    who.admission = recalled;
    await limitKey(exchange, recalled);
  }
  const admission = await readAfresh(exchange, who, wishes);
  if (recalled === undefined) {
    await limitKey(exchange, admission).catch((error: unknown) => {
      limited.set(nameOf(who), admission);
      throw error;
    });
  }
  return admission;
}

const nameOf = ({ key, clientId }: Caller): string => `${key?.toString('latin1')}${clientId}`;

async function readAfresh(exchange: Exchange, who: Caller, wishes: Wishes): Promise<Admission> {
  const { key, clientId } = who;
  who.admission = null;
  who.admission = await (key === null ? Promise.resolve(null) : exchange.gateway.admit({ key, clientId, ...wishes }))
    .then(requireValidKey)
    .catch((error: unknown) => exchange.refuseUnauthenticated(toRefusal(error)));
  return who.admission;
}

const limitKey = (exchange: Exchange, { key }: Admission): Promise<void> =>
  exchange.limit('key', `key:${key.lineageId}`, TIER_LIMITS[key.tier]);

interface Representation {
  tag: string;
  link: string | undefined;
}

function tagged(exchange: Exchange, { tag, link }: Representation, answer: Answer): Answer {
  exchange.headers.ETag = tag;
  exchange.headers['Cache-Control'] = 'private, no-cache';
  if (link !== undefined) exchange.headers.Link = link;
  return answer;
}

const unmodified = (exchange: Exchange, held: Representation): Answer =>
  tagged(exchange, held, { status: 304, body: null });

/** Tells of a call with a valid key that named an existing client, however it ended. */
function record(
  { gateway, requestId, errorCode }: Exchange,
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
    errorCode,
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
  if (Number(headers['content-length'] ?? 0) > MAX_BODY) throw new Refusal('payload_too_large');
}

const paginationOf = (body: unknown): PaginationBody => (body as { pagination: PaginationBody }).pagination;
