// REST facade: both areas as one Fastify plugin, with our own responses in place of those of Fastify and Node.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '#core/errors.ts';
import type { Schemas } from '#gateway/execution/execute.ts';
import type { Gateway } from '#gateway/gateway.ts';
import { Exchange } from '#http/exchange.ts';
import { refusedTarget } from '#http/path.ts';
import { toRefusal } from '#http/refusals.ts';
import { MAX_HEADERS } from '#http/sizes.ts';
import { policyOf, watchRoutes } from './paths.ts';
import { registerPlants } from './plants/plants.ts';
import { portfolioPolicy, registerPortfolio } from './portfolio.ts';
import { recordUnrouted } from './recorded-calls.ts';
import { registerReference } from './reference.ts';
import type { ResponseCache } from './response-cache.ts';

/** The limit of the HTTP parser. Requests within it are refused by us, with limiter headers. */
export const PARSER_HEADER_BYTES = 65_536;

export function registerRestFacade(
  app: FastifyInstance,
  gateway: Gateway,
  schemas: Schemas,
  responses: ResponseCache,
): void {
  // Bodies stay streams: a route reads its body after it has identified the caller.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  registerPortfolio(app, gateway, schemas, responses);
  registerPlants(app, gateway, schemas);
  registerReference(app, gateway, schemas);
}

/**
 * Responds where no handler does: oversized headers, unknown routes and methods, and errors of Fastify. Must be called
 * before routes are registered, to learn their methods.
 */
export function registerFallbacks(app: FastifyInstance, gateway: Gateway): void {
  const refusalOf = watchRoutes(app);
  const refuseRoute = (reply: FastifyReply) => refuse(gateway, reply, refusalOf(reply.request));
  // Node would refuse unknown expectations without a body. We have no reason to refuse them at all.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  // With a callback, since a promise for each request would cost more than the check.
  app.addHook('onRequest', (request, reply, proceed) => {
    const refusal = refusedTarget(request.url) ?? oversized(request) ?? refusedHost(request);
    if (refusal !== null) refuse(gateway, reply, refusal).catch(proceed);
    // Checked here because Fastify would check the content type before the handler.
    else if (request.is404) refuseRoute(reply).catch(proceed);
    else proceed();
  });
  app.setNotFoundHandler(async (_request, reply) => refuseRoute(reply));
  app.setErrorHandler(async (error: FastifyError, _request, reply) => refuse(gateway, reply, fromLibrary(error)));
}

/** For Fastify's `frameworkErrors`: errors before routing, such as malformed percent-encoding in the path. */
export function refuseUnroutable(gateway: Gateway) {
  return (error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void => {
    void refuse(gateway, reply, fromLibrary(error));
  };
}

async function refuse(gateway: Gateway, reply: FastifyReply, refusal: Refusal): Promise<FastifyReply> {
  const { url, headers } = reply.request;
  const policy = policyOf(url);
  const exchange = new Exchange(gateway, reply, policy, 'none');
  const status = await exchange.respond(() => exchange.countByAddress(refusal));
  const key = policy === portfolioPolicy ? gateway.readKey(headers.authorization) : null;
  if (key !== null) recordUnrouted(exchange, key, status);
  return reply;
}

/** An error of Fastify or Node as a refusal. */
export function fromLibrary(error: FastifyError): Refusal {
  if (error.code === 'FST_ERR_BAD_URL')
    return new Refusal('malformed_request', { message: 'The path has malformed percent-encoding.' });
  if (error.statusCode === 413) return new Refusal('payload_too_large');
  if (error.statusCode === 415) return new Refusal('unsupported_media_type');
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
    return new Refusal('malformed_request', { cause: error });
  return toRefusal(error);
}

function oversized({ raw }: FastifyRequest): Refusal | null {
  let size = 0;
  for (const text of raw.rawHeaders) size += text.length + 2;
  return size > MAX_HEADERS
    ? new Refusal('headers_too_large', { message: `Headers have at most ${MAX_HEADERS} bytes together.` })
    : null;
}

/** A host's address or name, and a port, all as RFC 3986 spells them. Both may be empty. */
const HOST = /^(?:\[[\w.:%~!$&'()*+,;=-]+\]|[\w.%~!$&'()*+,;=-]*)(?::\d*)?$/;

/**
 * RFC 9112 (3.2) requires exactly one Host header, with a valid value; several are combined into an invalid one. By
 * default Node refuses a request without one in a response without a body, and accepts all others.
 */
function refusedHost({ raw }: FastifyRequest): Refusal | null {
  const { host } = raw.headers;
  if (host === undefined ? raw.httpVersion === '1.0' : HOST.test(host)) return null;
  return new Refusal('malformed_request', { message: 'A request has one Host header, which names a host.' });
}
