// Bench, hand-written gateways: the HTTP parts that all answers share: limits, tags, links, refusals.
import { createHash } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ERRORS, type ErrorCode } from '../../../src/core/errors.ts';
import { newId } from '../../../src/core/ids.ts';
import { limitHeaders } from '../../../src/limits/headers.ts';
import type { Allowance } from '../../../src/limits/limiter.ts';

export const VERSION = '2026-01-15';

export class Refused extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode) {
    super(ERRORS[code].message);
    this.code = code;
  }
}

export function createServer(): FastifyInstance {
  const app = Fastify({
    logger: false,
    trustProxy: process.env.TRUST_PROXY ?? '127.0.0.1',
    ajv: { customOptions: { removeAdditional: false } },
  });
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('X-Request-Id', newId('request')).header('Cache-Control', 'private, no-store');
  });
  app.setErrorHandler((error: Error & { validation?: unknown }, request, reply) => {
    const code = error instanceof Refused ? error.code : error.validation ? 'invalid_parameter' : 'internal_error';
    if (code === 'internal_error') console.error(error);
    refuse(request, reply, code);
  });
  return app;
}

export async function listen(app: FastifyInstance): Promise<void> {
  process.once('SIGTERM', () => process.exit());
  await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
}

function refuse(request: FastifyRequest, reply: FastifyReply, code: ErrorCode): void {
  const { status, type, message } = ERRORS[code];
  reply.code(status).header('Content-Type', 'application/json; charset=utf-8');
  if (status === 401) reply.header('WWW-Authenticate', 'Bearer');
  const plants = request.url.startsWith('/plants');
  const request_id = reply.getHeader('X-Request-Id');
  reply.send(JSON.stringify(plants ? { error: status, message } : { error: { type, code, message, request_id } }));
}

/** Sets the headers of the limit. Throws Refused if it is exceeded. */
export function applyLimit(reply: FastifyReply, policy: string, allowance: Allowance): void {
  reply.headers({ ...limitHeaders({ [policy]: allowance }) });
  if (!allowance.admitted) throw new Refused('rate_limit_exceeded');
}

/** Sends a body with its tag, or 304. The tag does not include the time `as_of` at the end of stamped bodies. */
export function answer(request: FastifyRequest, reply: FastifyReply, body: string, stamped: boolean): FastifyReply {
  const at = stamped ? body.lastIndexOf('"as_of":"') + 9 : -1;
  const tagged = stamped ? body.slice(0, at - 9) + body.slice(body.indexOf('"', at)) : body;
  const tag = `W/"${createHash('sha1').update(`${VERSION}\n${tagged}`).digest('base64url')}"`;
  reply.header('ETag', tag).header('Cache-Control', 'private, no-cache').header('X-Service-Version', VERSION);
  if (request.headers['if-none-match'] === tag) return reply.code(304).send();
  return reply.header('Content-Type', 'application/json; charset=utf-8').send(body);
}

export interface Pagination {
  page: number;
  page_size: number;
  total_items: number;
  total_pages: number;
  has_more: boolean;
  next_cursor: string | null;
}

export function setLinks(request: FastifyRequest, reply: FastifyReply, pagination: Pagination): void {
  const [path = '', search] = request.url.split('?', 2);
  const parameters = new URLSearchParams(search);
  parameters.delete('page');
  parameters.delete('cursor');
  const link = (relation: string, name: string, value: string | number) => {
    const target = new URLSearchParams(parameters);
    target.append(name, `${value}`);
    return `<${path}?${target}>; rel="${relation}"`;
  };
  const { page, total_pages, next_cursor } = pagination;
  const links = [link('first', 'page', 1)];
  if (page > 1) links.push(link('prev', 'page', page - 1));
  if (next_cursor !== null) links.push(link('next', 'cursor', next_cursor));
  links.push(link('last', 'page', Math.max(total_pages, 1)));
  reply.header('Link', links.join(', '));
}
