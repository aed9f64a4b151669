// HTTP: one request and its response: who limits it, which headers it has so far, how it is answered.
import type { OutgoingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressGroup, networkOf } from '#core/client-address.ts';
import { Refusal } from '#core/errors.ts';
import type { RequestEvent } from '#core/events.ts';
import { newId } from '#core/ids.ts';
import { STAGES, StageTimes } from '#core/stages.ts';
import type { Gateway } from '#gateway/gateway.ts';
import { clientAddress } from '#http/client-address.ts';
import { refusalHeaders, toRefusal } from '#http/refusals.ts';
import { limitHeaders } from '#limits/headers.ts';
import { type Allowance, strictest } from '#limits/limiter.ts';
import { decide, type LimitPolicy } from '#limits/policies.ts';

export const REQUEST_ID_HEADER = 'X-Request-Id';
const CALLERS_ID = /^[\w.:/+=-]{1,64}$/;
export const JSON_TYPE = 'application/json; charset=utf-8';

/** A request that leaves less than this part of its key's limit is told of. */
const NEAR = 0.1;
/** The same, of which its firm is told. */
const PRESSED = 0.2;

export interface Answer {
  status: number;
  /** JSON unless `headers` say otherwise; null for answers without a body. Several pieces are sent as they are, one after the other. */
  body: string | Buffer | readonly Buffer[] | Readable | null;
  /** Take precedence over those of the exchange. */
  headers?: Record<string, string>;
}

/** What is the same for all requests of one area. */
export interface AreaPolicy {
  area: RequestEvent['area'];
  /** Sent with every answer, unless the request's own say otherwise. */
  headers: Readonly<Record<string, string>>;
  /** Subject prefix and limit a minute of callers without a valid credential, by address. */
  unauthenticated: { prefix: string; limit: number };
  /** Body of a refusal. */
  writeError(refusal: Refusal, requestId: string): string;
}

export class Exchange {
  readonly requestId = newId('request');
  readonly gateway: Gateway;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly headers: Record<string, string>;
  /** Whose address it comes from, behind the trusted proxies; read at once, because a connection that has ended tells it no more. */
  readonly clientAddress: string;
  /** Name for metrics and log: a route's template or an operation, never text from the caller. */
  endpoint: string;
  /** Of the refusal, once there was one. */
  errorCode: string | null = null;
  /** What the caller was told, then. */
  refusal: Refusal | null = null;
  /** The key that calls, once it is known to be valid. */
  key: RequestEvent['key'] = null;
  readonly times: StageTimes;
  #nearLimit = false;
  #shadowRefusal: RequestEvent['shadowRefusal'] = null;
  #pressure: RequestEvent['pressure'] = null;
  readonly #policy: AreaPolicy;

  constructor(gateway: Gateway, reply: FastifyReply, policy: AreaPolicy, endpoint: string) {
    this.gateway = gateway;
    this.times = new StageTimes(gateway.traced);
    this.request = reply.request;
    this.clientAddress = clientAddress(reply.request);
    this.reply = reply;
    this.endpoint = endpoint;
    this.#policy = policy;
    this.headers = { ...policy.headers, [REQUEST_ID_HEADER]: this.requestId };
  }

  /**
   * Counts the request against the limits of these policies, in all or in none, and takes over their headers. The refusal,
   * when one is reached that is not in shadow mode.
   */
  async limit(policies: Readonly<Record<string, LimitPolicy>>): Promise<Refusal | null> {
    const { allowances, refusal, shadowRefusal } = await this.#timed(() => decide(this.gateway.limiter, policies));
    this.#shadowRefusal = shadowRefusal;
    if (this.key !== null) {
      const near = Object.values(allowances).some(({ remaining, limit }) => remaining < limit * NEAR);
      this.#nearLimit = near && refusal === null && shadowRefusal === null;
      this.#pressure = pressureOf(allowances, refusal !== null);
    }
    Object.assign(this.headers, limitHeaders(allowances));
    return refusal === null ? null : new Refusal(refusal);
  }

  /** Counts the request against a subject's limit. */
  count(subject: string, limit: number): Promise<Allowance> {
    return this.#timed(() => this.gateway.limiter.take(subject, limit));
  }

  async #timed<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const { times, gateway } = this;
    const state = gateway.traced ? gateway.limiterState() : null;
    const stage = times.enter('limit');
    const answer = await ask();
    if (state === 'redis' || state === 'recovering') times.waitedForRedis('limit');
    times.enter(stage);
    return answer;
  }

  /**
   * The refusal of a caller with a key that does not exist, from an address whose limit was reached within the last second.
   * Null for all others, among whom may be such callers too.
   */
  async refusedAsStranger(key: Buffer): Promise<Refusal | null> {
    const { limitedAddresses, keyHashes, limiter } = this.gateway;
    if (limitedAddresses.size === 0) return null;
    const address = this.#addressLimit();
    if (!limitedAddresses.has(address.subject) || (await keyHashes.has(key))) return null;
    const { remaining } = await limiter.peek(address.subject, address.limit);
    if (remaining > 0) return null;
    limitedAddresses.set(address.subject, true);
    return this.limit({ address });
  }

  /** Whom the caller's address stands for. */
  get address(): string {
    return addressGroup(this.clientAddress);
  }

  /** The refusal of a caller without a valid credential, or of a request to no route, limited by its address. */
  async unauthenticated(refusal: Refusal): Promise<Refusal> {
    const { limitedAddresses, limiter } = this.gateway;
    const address = this.#addressLimit();
    if (refusal.status < 500) {
      const limited = await this.limit({ address });
      if (limited !== null) limitedAddresses.set(address.subject, true);
      return limited ?? refusal;
    }
    // A failure on our side is not held against anybody.
    Object.assign(this.headers, limitHeaders({ address: await limiter.peek(address.subject, address.limit) }));
    return refusal;
  }

  /** What callers from this address count against who have no valid credential. */
  #addressLimit(): LimitPolicy {
    const { prefix, limit } = this.#policy.unauthenticated;
    return { subject: `${prefix}:${this.address}`, limit };
  }

  /** Does the work, turns a refusal that it gives or throws into an answer, and sends it. Returns the answer's status. */
  async respond(work: () => Promise<Answer | Refusal>): Promise<number> {
    const { reply, times } = this;
    const answer = await work().catch(toRefusal);
    times.enter('represent');
    const { status, body, headers } = answer instanceof Refusal ? this.#refuse(answer) : answer;
    if (this.gateway.tellsTimes) this.headers['Server-Timing'] = serverTiming(times);
    reply.code(status).headers(this.headers);
    if (body !== null) reply.header('Content-Type', JSON_TYPE);
    if (headers !== undefined) reply.headers(headers);
    if (Array.isArray(body)) sendPieces(reply, body);
    else reply.send(body ?? undefined);
    times.end();
    this.gateway.events.emit('request', {
      area: this.#policy.area,
      endpoint: this.endpoint,
      method: this.request.method,
      status,
      requestId: this.requestId,
      errorCode: this.errorCode,
      times,
      traced: this.gateway.traced,
      key: this.key,
      nearLimit: this.#nearLimit,
      shadowRefusal: this.#shadowRefusal,
      pressure: this.#pressure,
      network: () => networkOf(this.clientAddress),
      callersId: callersIdOf(this.request),
      traceparent: this.request.headers.traceparent as string | undefined,
    });
    return status;
  }

  /** Reports a failure on our side. */
  fail(error: unknown): void {
    const where = `${this.#policy.area} ${this.endpoint}`;
    this.gateway.events.emit('failure', { requestId: this.requestId, where, error });
  }

  #refuse(refusal: Refusal): Answer {
    if (refusal.status >= 500) this.fail(refusal.cause);
    for (const [name, value] of Object.entries(refusalHeaders(refusal))) this.headers[name] ??= value;
    this.errorCode = refusal.code;
    this.refusal = refusal;
    return { status: refusal.status, body: this.#policy.writeError(refusal, this.requestId) };
  }
}

/** Of several the one with the least room. */
function pressureOf(allowances: Readonly<Record<string, Allowance>>, refused: boolean): RequestEvent['pressure'] {
  const all = Object.values(allowances);
  const pressed = all.filter(({ remaining, limit }) => remaining <= limit * PRESSED);
  if (pressed.length === 0 || all.some(({ unavailable }) => unavailable)) return null;
  const least = strictest(pressed);
  return { of: allowances.firm === least ? 'firm' : 'key', limit: least.limit, refused };
}

/** The caller's own id of the request; null unless it looks like one. */
export function callersIdOf({ headers }: FastifyRequest): string | null {
  const given = headers['x-request-id'];
  return typeof given === 'string' && CALLERS_ID.test(given) ? given : null;
}

/** For browsers and other tools: milliseconds by stage, that of sending left out. */
export function serverTiming({ spent }: StageTimes): string {
  return STAGES.filter((stage) => spent[stage] > 0)
    .map((stage) => `${stage};dur=${spent[stage].toFixed(2)}`)
    .join(', ');
}

/** The library takes one piece only, and joining them would copy the whole body. */
function sendPieces(reply: FastifyReply, pieces: readonly Buffer[]): void {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const { raw } = reply.hijack();
  raw.writeHead(reply.statusCode, { ...reply.getHeaders(), 'Content-Length': length } as OutgoingHttpHeaders);
  raw.cork();
  for (const piece of pieces) raw.write(piece);
  raw.end();
}
