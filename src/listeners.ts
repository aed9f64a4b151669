// The two HTTP listeners: the public one for partners and people, the internal one for tools and operations.
import Fastify, { type FastifyInstance } from 'fastify';
import { Refusal } from '#core/errors.ts';
import { newId } from '#core/ids.ts';
import type { Database } from '#database/database.ts';
import { openServices } from '#gateway/admission/tools.ts';
import type { Schemas } from '#gateway/execution/execute.ts';
import type { ToolsServer } from '#gateway/execution/yoga.ts';
import type { Gateway } from '#gateway/gateway.ts';
import { JSON_TYPE } from '#http/exchange.ts';
import { refusalHeaders, toRefusal } from '#http/refusals.ts';
import type { Health } from '#observability/health.ts';
import type { Exposition } from '#observability/metrics.ts';
import { registerPortal } from '#portal/plugin.ts';
import type { Portal } from '#portal/portal.ts';
import { portfolioError } from '#rest-facade/errors.ts';
import {
  PARSER_HEADER_BYTES,
  refuseUnparsable,
  refuseUnroutable,
  registerFallbacks,
  registerRestFacade,
} from '#rest-facade/plugin.ts';
import type { ResponseCache } from '#rest-facade/response-cache.ts';

const REQUEST_TIMEOUT_MS = 30_000;

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
    trustProxy: trustProxy.length === 0 ? false : trustProxy,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { maxHeaderSize: PARSER_HEADER_BYTES, requireHostHeader: false },
    // Queries are read by the facade, which sees repeated names and malformed encoding.
    routerOptions: { maxParamLength: PARSER_HEADER_BYTES, querystringParser: () => ({}) },
    frameworkErrors: refuseUnroutable(gateway),
    clientErrorHandler: refuseUnparsable,
  });
  registerFallbacks(app, gateway);
  registerRestFacade(app, gateway, schemas, responses);
  registerPortal(app, portal, schemas);
  return app;
}

export interface InternalParts {
  tools: () => Promise<ToolsServer>;
  database: Database;
  metrics: Exposition;
  health: Health;
  /** GraphiQL's page holds no data; its requests need a token like any other. */
  graphiql: boolean;
}

/** GraphQL for tools, metrics and health. */
export function createInternalListener({ tools, database, metrics, health, graphiql }: InternalParts): FastifyInstance {
  const admitService = openServices(database);
  const app = Fastify({ logger: false, exposeHeadRoutes: false, forceCloseConnections: 'idle' });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.setNotFoundHandler(async (_request, reply) => sendRefusal(reply, new Refusal('route_not_found')));
  app.setErrorHandler(async (error, _request, reply) => sendRefusal(reply, toRefusal(error)));

  app.route({
    method: ['GET', 'POST', 'OPTIONS'],
    url: '/graphql',
    handler: async (request, reply) => {
      const page = graphiql && request.method === 'GET' && request.headers.accept?.includes('text/html') === true;
      const service = page
        ? ({ kind: 'service', tokenId: '', role: 'ops', view: null } as const)
        : await admitService(request.headers.authorization);
      const actAsKey = request.headers['x-act-as-key'] as string | undefined;
      const server = await tools();
      reply.hijack();
      await server.handle(request.raw, reply.raw, { service, actAsKey });
    },
  });
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));
  app.get('/livez', async () => ({ status: 'live' }));
  app.get('/readyz', async (_request, reply) => {
    const { ready, report } = await health.check();
    return reply.code(ready ? 200 : 503).send(report);
  });
  return app;
}

function sendRefusal(
  reply: { code(status: number): { headers(h: object): { send(body: string): unknown } } },
  refusal: Refusal,
): unknown {
  const headers = { 'Content-Type': JSON_TYPE, 'Cache-Control': 'no-store' };
  return reply
    .code(refusal.status)
    .headers({ ...headers, ...refusalHeaders(refusal) })
    .send(portfolioError(refusal, newId('request')));
}
