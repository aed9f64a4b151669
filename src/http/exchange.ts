// HTTP: one call in the making: who it is, what headers it has earned so far, how it ends.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressGroup } from '#core/client-address.ts';
import { emptied } from '#core/emptied.ts';
import { Refusal } from '#core/errors.ts';
import type { RequestEvent } from '#core/events.ts';
import { newId } from '#core/ids.ts';
import type { Gateway } from '#gateway/gateway.ts';
import { refusalHeaders, toRefusal } from '#http/refusals.ts';
import { limitHeaders } from '#limits/headers.ts';

export const REQUEST_ID_HEADER = 'X-Request-Id';
/** Bytes of the largest body that either area takes. */
export const MAX_BODY = 65_536;
/** Characters of the longest request target. */
export const MAX_URL = 8_192;

const JSON_TYPE = 'application/json; charset=utf-8';

export interface Answer {
  status: number;
  /** Null for answers without a body. */
  body: string | Buffer | null;
}

/** One area's way of limiting callers it does not know, and of writing refusals. */
export interface AreaPolicy {
  area: RequestEvent['area'];
  /** Subject prefix and limit of callers without a valid credential, by address. */
  strangers: { prefix: string; limit: number };
  writeError(refusal: Refusal, requestId: string): string;
}

export class Call {
  readonly requestId = newId('request');
  readonly headers: Record<string, string>;
  readonly gateway: Gateway;
  readonly request: FastifyRequest;
  /** Of the refusal, once there was one. */
  errorCode: string | null = null;
  readonly #policy: AreaPolicy;
  readonly #started = performance.now();

  constructor(gateway: Gateway, request: FastifyRequest, policy: AreaPolicy) {
    this.gateway = gateway;
    this.request = request;
    this.#policy = policy;
    this.headers = { [REQUEST_ID_HEADER]: this.requestId, 'Cache-Control': 'private, no-store' };
  }

  /** Counts the call against a subject's limit and takes over its headers. Throws Refusal when there is no room. */
  async limit(policy: string, subject: string, limit: number): Promise<void> {
    const allowance = await this.gateway.limiter.take(subject, limit);
    Object.assign(this.headers, limitHeaders(policy, allowance));
    if (allowance.unavailable) throw new Refusal('service_unavailable');
    if (!allowance.admitted) throw new Refusal('rate_limit_exceeded');
  }

  /** Refuses a caller without a valid credential, or a call to no route: limited by address, at nobody's expense. */
  async refuseUnauthenticated(refusal: Refusal): Promise<never> {
    const { prefix, limit } = this.#policy.strangers;
    const subject = `${prefix}:${addressGroup(this.request.ip)}`;
    // A failure on our side is not held against anybody.
    if (refusal.status < 500) await this.limit('address', subject, limit);
    else Object.assign(this.headers, limitHeaders('address', await this.gateway.limiter.peek(subject, limit)));
    throw refusal;
  }

  /** Runs the area's work, turns what it throws into an answer, and sends it. Returns the answer's status. */
  async settle(reply: FastifyReply, endpoint: string, work: () => Promise<Answer>): Promise<number> {
    const { status, body } = emptied(await work().catch((error: unknown) => this.#refuse(error, endpoint)));
    reply.code(status).headers(this.headers);
    if (body !== null) reply.header('Content-Type', JSON_TYPE);
    reply.send(body ?? undefined);
    const duration = (performance.now() - this.#started) / 1000;
    this.gateway.events.emit('request', {
      area: this.#policy.area,
      endpoint,
      method: this.request.method,
      status,
      requestId: this.requestId,
      duration,
      errorCode: this.errorCode,
    });
    return status;
  }

  #refuse(error: unknown, endpoint: string): Answer {
    const refusal = toRefusal(error);
    if (refusal.status >= 500)
      this.gateway.events.emit('failure', { requestId: this.requestId, where: endpoint, error: refusal.cause });
    Object.assign(this.headers, { ...refusalHeaders(refusal), ...this.headers });
    this.errorCode = refusal.code;
    return { status: refusal.status, body: this.#policy.writeError(refusal, this.requestId) };
  }
}
