// Portal: one call in the making: where it comes from, what headers it earns, how it ends.
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GraphQLError } from 'graphql';
import { Refusal } from '#core/errors.ts';
import type { Events } from '#core/events.ts';
import { newId } from '#core/ids.ts';
import { limitHeaders } from '#limits/headers.ts';
import type { Limiter } from '#limits/limiter.ts';
import { DATA_HEADERS } from './security-headers.ts';

export interface Answer {
  status: number;
  body: string | Buffer | Readable | null;
  headers?: Record<string, string>;
}

export interface CallParts {
  events: Events;
  limiter: Limiter;
  /** Sent with every answer. */
  secure: Readonly<Record<string, string>>;
}

export class PortalCall {
  readonly requestId = newId('request');
  readonly request: FastifyRequest;
  readonly headers: Record<string, string>;
  /** `Set-Cookie` lines. */
  readonly cookies: string[] = [];
  /** What metrics and log call it; never what a caller made up. */
  endpoint: string;
  readonly #parts: CallParts;
  readonly #started = performance.now();
  #errorCode: string | null = null;

  constructor(parts: CallParts, request: FastifyRequest, endpoint: string) {
    this.#parts = parts;
    this.request = request;
    this.endpoint = endpoint;
    this.headers = { ...parts.secure, ...DATA_HEADERS, 'X-Request-Id': this.requestId };
  }

  /** Counts the call against the subject's limit a minute. Throws Refusal when there is no room. */
  async limit(subject: string, limit: number): Promise<void> {
    const allowance = await this.#parts.limiter.take(`portal:${subject}`, limit);
    if (allowance.admitted) return;
    const retry = limitHeaders('portal', allowance)['Retry-After'];
    if (retry !== undefined) this.headers['Retry-After'] = retry;
    throw new Refusal(allowance.unavailable ? 'service_unavailable' : 'rate_limit_exceeded');
  }

  /** Does the work, turns what it throws into an answer, sends it, and tells of it. */
  async settle(reply: FastifyReply, work: () => Promise<Answer>): Promise<FastifyReply> {
    const answer = await work().catch((error: unknown) => this.#refuse(error));
    reply.code(answer.status).headers({ ...this.headers, ...answer.headers });
    for (const cookie of this.cookies) reply.header('Set-Cookie', cookie);
    this.#parts.events.emit('request', {
      area: 'portal',
      endpoint: this.endpoint,
      method: this.request.method,
      status: answer.status,
      requestId: this.requestId,
      duration: (performance.now() - this.#started) / 1000,
      errorCode: this.#errorCode,
    });
    return reply.send(answer.body ?? undefined);
  }

  /** Tells of a failure on our side. */
  fail(error: unknown): void {
    this.#parts.events.emit('failure', { requestId: this.requestId, where: `portal ${this.endpoint}`, error });
  }

  #refuse(error: unknown): Answer {
    const refusal = toRefusal(error);
    if (refusal.status >= 500) this.fail(refusal.cause);
    if (refusal.code === 'service_unavailable') this.headers['Retry-After'] ??= '1';
    this.#errorCode = refusal.code;
    const { code, message, param } = refusal;
    const named = param === undefined ? {} : { param };
    return json({ error: { code, message, ...named, request_id: this.requestId } }, refusal.status);
  }
}

/** A JSON answer. */
export function json(value: unknown, status = 200): Answer {
  return { status, body: JSON.stringify(value), headers: { 'Content-Type': 'application/json; charset=utf-8' } };
}

/** What was thrown as a refusal: ours, one that a library wrapped, variables that do not fit, or a failure. */
function toRefusal(error: unknown): Refusal {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof Refusal) return one;
  // Without a path it is of no field: the operation's variables were not what it declares.
  if (error instanceof GraphQLError && error.path === undefined)
    return new Refusal('invalid_parameter', { message: error.message });
  return new Refusal('internal_error', { cause: error });
}
