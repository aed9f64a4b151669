// The two HTTP listeners: a public one for partners and portal users, an internal one for tools and operations.
import { lookup } from 'node:dns/promises';
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify';
import type { Refusal } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import type { Database } from '#database/database.ts';
import { openServices, type ToolRequest } from '#gateway/admission/tools.ts';
import type { Schemas } from '#gateway/execution/execute.ts';
import type { AnswerTool } from '#gateway/execution/yoga.ts';
import type { Gateway } from '#gateway/gateway.ts';
import { trustedProxies } from '#http/client-address.ts';
import { type AreaPolicy, Exchange, JSON_TYPE, REQUEST_ID_HEADER } from '#http/exchange.ts';
import { errorBody, refusalHeaders } from '#http/refusals.ts';
import { takeTurns } from '#http/turns.ts';
import type { Health } from '#observability/health.ts';
import type { Exposition } from '#observability/metrics/metrics.ts';
import { registerPortal } from '#portal/plugin.ts';
import type { Portal } from '#portal/portal.ts';
import { watchRoutes } from '#rest-facade/paths.ts';
import {
  fromLibrary,
  PARSER_HEADER_BYTES,
  refuseUnroutable,
  registerFallbacks,
  registerRestFacade,
} from '#rest-facade/plugin.ts';
import { portfolioPolicy } from '#rest-facade/portfolio.ts';
import type { ResponseCache } from '#rest-facade/response-cache.ts';
import { refuseUnparsable, watchResponses } from '#rest-facade/unparsable.ts';
import { ConfigurationError } from './config.ts';
import { asksForPage, graphiqlPage, registerGraphiqlFiles } from './graphiql.ts';

const REQUEST_MS = 30_000;
/** An incomplete request is answered 408 at the first check after this time. */
const IN_TIME = { requestTimeout: REQUEST_MS };
const HTTP = {
  // Must not exceed requestTimeout: Node swaps the two then.
  headersTimeout: REQUEST_MS,
  // Interval of the check for incomplete requests.
  connectionsCheckingInterval: 5_000,
  // A request without a body is complete from the start, without a stream.
  optimizeEmptyRequests: true,
  // As RFC 9110 (5.3) combines them. By default the first of several Authorization or Content-Type headers would count.
  joinDuplicateHeaders: true,
};
/** Requests that arrive over open connections of a closing listener are answered, with `Connection: close`. */
const WHILE_CLOSING = { return503OnClosing: false, forceCloseConnections: 'idle' } as const;

const noSchemas = (): never => {
  throw new Error('a route has a schema, but no compiler is configured');
};
/** No route has a schema. Without these, Fastify loads its schema compilers nevertheless, a tenth of the time of a start. */
const WITHOUT_SCHEMAS = { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } };

/** Tools are not limited: the listener is internal. */
const TOOLS_POLICY: AreaPolicy = { ...portfolioPolicy, area: 'graphql', headers: { 'Cache-Control': 'no-store' } };

interface ListenerOptions {
  trustProxy: string[];
  responses: ResponseCache;
  portal: Portal;
}

/** Area A, area B and the portal. */
export function createPublicListener(
  gateway: Gateway,
  schemas: Schemas,
  { trustProxy, responses, portal }: ListenerOptions,
): FastifyInstance {
  const app = Fastify({
    logger: false,
    trustProxy: trustProxy.length === 0 ? false : trustedProxies(trustProxy),
    exposeHeadRoutes: false,
    schemaController: WITHOUT_SCHEMAS,
    ...WHILE_CLOSING,
    ...IN_TIME,
    http: { ...HTTP, maxHeaderSize: PARSER_HEADER_BYTES, requireHostHeader: false },
    // The facade parses queries itself, so that it sees repeated names and malformed encoding.
    routerOptions: { maxParamLength: PARSER_HEADER_BYTES, querystringParser: () => ({}) },
    frameworkErrors: refuseUnroutable(gateway),
    clientErrorHandler: refuseUnparsable,
  });
  // Only their size is limited. By default the parser refuses more than 1000.
  app.server.maxHeadersCount = 0;
  watchResponses(app.server);
  takeTurns(app);
  registerFallbacks(app, gateway);
  registerRestFacade(app, gateway, schemas, responses);
  registerPortal(app, portal, schemas);
  return app;
}

export interface InternalParts {
  gateway: Gateway;
  tools: () => Promise<AnswerTool>;
  database: Database;
  metrics: Exposition;
  health: Health;
  /** GraphiQL's page contains no data, and its requests need a token like any other. */
  graphiql: boolean;
}

/** GraphQL for tools, metrics and health. */
export function createInternalListener(parts: InternalParts): FastifyInstance {
  const app = Fastify({
    logger: false,
    exposeHeadRoutes: false,
    schemaController: WITHOUT_SCHEMAS,
    ...WHILE_CLOSING,
    frameworkErrors: (error, _request, reply: FastifyReply) =>
      void sendRefusal(reply, fromLibrary(error), newId('request')),
    clientErrorHandler: refuseUnparsable,
    ...IN_TIME,
    http: HTTP,
  });
  watchResponses(app.server);
  takeTurns(app);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  registerRefusals(app, parts);
  registerTools(app, parts);
  registerProbes(app, parts);
  return app;
}

/** Must run before any route is registered, because it records the methods of routes. */
function registerRefusals(app: FastifyInstance, { gateway: { events } }: InternalParts): void {
  const refusalOf = watchRoutes(app);
  app.setNotFoundHandler(async (request, reply) => sendRefusal(reply, refusalOf(request), newId('request')));
  app.setErrorHandler(async (error: FastifyError, { routeOptions: { url: where = 'internal' } }, reply) => {
    const [refusal, requestId] = [fromLibrary(error), newId('request')];
    if (refusal.status >= 500) events.emit('failure', { requestId, where, error });
    return sendRefusal(reply, refusal, requestId);
  });
}

function registerTools(app: FastifyInstance, { gateway, tools, database, graphiql }: InternalParts): void {
  const admitService = openServices(database);
  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    handler: async (request, reply) => {
      if (graphiql && asksForPage(request)) return reply.headers(graphiqlPage.headers).send(graphiqlPage.body);
      const exchange = new Exchange(gateway, reply, TOOLS_POLICY, '/graphql');
      const { requestId, times } = exchange;
      await exchange.respond(async () => {
        const service = await times.statement('service token', admitService(request.headers.authorization));
        const answer = await tools();
        const actAsKey = request.headers['x-act-as-key'] as string | undefined;
        const caller: ToolRequest = { service, actAsKey, requestId, times };
        times.enter('execute');
        return answer(request.raw, reply.raw, caller).finally(() => {
          exchange.key = caller.admission?.key ?? null;
          exchange.tool = { role: service.role, id: service.tokenId, actedAs: exchange.key?.id ?? null };
          exchange.errorCode = caller.errorCode ?? null;
        });
      });
      return reply;
    },
  });
  if (graphiql) registerGraphiqlFiles(app);
}

function registerProbes(app: FastifyInstance, { metrics, health }: InternalParts): void {
  // Probes may use HEAD.
  const probed = { exposeHeadRoute: true };
  app.get('/metrics', probed, async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));
  app.get('/livez', probed, async () => ({ status: 'live' }));
  app.get('/readyz', probed, async (_request, reply) => {
    const { ready, report } = await health.check();
    return reply.code(ready ? 200 : 503).send(report);
  });
}

function sendRefusal(reply: FastifyReply, refusal: Refusal, requestId: string): FastifyReply {
  const headers = { 'Content-Type': JSON_TYPE, 'Cache-Control': 'no-store', [REQUEST_ID_HEADER]: requestId };
  return reply
    .code(refusal.status)
    .headers({ ...headers, ...refusalHeaders(refusal) })
    .send(errorBody(refusal, requestId));
}

/**
 * Binds the listener to one address, and resolves with its port. For a name with several addresses, as `localhost`
 * often is, Fastify would create a server for each, and its close would wait only for the first. Throws
 * ConfigurationError where the name has no address.
 */
export async function bind(listener: FastifyInstance, host: string, port: number): Promise<number> {
  const { address } = await lookup(host, { order: 'ipv4first' }).catch(({ code }: NodeJS.ErrnoException) => {
    throw new ConfigurationError([`HOST: ${host} cannot be resolved (${code})`]);
  });
  await listener.listen({ host: address, port });
  return (listener.server.address() as AddressInfo).port;
}
