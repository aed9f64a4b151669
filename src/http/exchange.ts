// HTTP: one request and its response: limits, headers and the answer.
import type { OutgoingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressGroup, networkOf } from '#core/client-address.ts';
import { Refusal } from '#core/errors.ts';
import type { RequestEvent } from '#core/events.ts';
import { newId } from '#core/ids.ts';
import { isNearLimit } from '#core/near-limit.ts';
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

export interface Answer {
  status: number;
  /**
   * JSON unless `headers` say otherwise; null for no body. An array of buffers is sent piece by piece without copying.
   */
  body: string | Buffer | readonly Buffer[] | Readable | ReadableStream | null;
  /** These take precedence over the headers of the exchange. */
  headers?: Record<string, string>;
}

/** What all requests of an area have in common. */
export interface AreaPolicy {
  area: RequestEvent['area'];
  /** Sent with every response. Headers of the response take precedence. */
  headers: Readonly<Record<string, string>>;
  /** Subject prefix and limit per minute of callers without a valid credential, counted by address. */
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
  /** The client's address behind trusted proxies. Read at once, because a closed connection has none. */
  readonly clientAddress: string;
  /** Name for metrics and log: a route's template or an operation. It never contains text from the caller. */
  endpoint: string;
  /** Error code of the refusal, if any. */
  errorCode: string | null = null;
  /** The refusal sent to the caller, if any. */
  refusal: Refusal | null = null;
  /** The calling key, once it is known to be valid. */
  key: RequestEvent['key'] = null;
  /** The calling tool, once its token is known to be valid. */
  tool: RequestEvent['tool'];
  readonly times: StageTimes;
  #nearLimit: RequestEvent['nearLimit'] = null;
  #shadowRefusal: RequestEvent['shadowRefusal'] = null;
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
   * Counts the request against the limits of these policies, in all or in none, and adds their headers. Returns the
   * refusal when a limit is reached that is not in shadow mode.
   */
  async limit(policies: Readonly<Record<string, LimitPolicy>>): Promise<Refusal | null> {
    const { allowances, refusal, shadowRefusal } = await this.#timed(() => decide(this.gateway.limiter, policies));
    this.#shadowRefusal = shadowRefusal;
    if (this.key !== null) this.#nearLimit = nearLimitOf(allowances, refusal !== null);
    Object.assign(this.headers, limitHeaders(allowances));
    return refusal === null ? null : new Refusal(refusal);
  }

  /** Counts the request against the limit of a subject. */
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
   * Refuses a caller with an unknown key from an address that reached its limit within the last second. Null for all
   * others, and possibly for some such callers too.
   */
  async refusedByAddress(key: Buffer): Promise<Refusal | null> {
    const { limitedAddresses, keyHashes, limiter } = this.gateway;
    if (limitedAddresses.size === 0) return null;
    const address = this.#addressLimit();
    if (!limitedAddresses.has(address.subject) || (await keyHashes.has(key))) return null;
    const { remaining } = await limiter.peek(address.subject, address.limit);
    if (remaining > 0) return null;
    limitedAddresses.set(address.subject, true);
    return this.limit({ address });
  }

  /** The address, or for IPv6 its /64, by which the caller is counted. */
  get address(): string {
    return addressGroup(this.clientAddress);
  }

  /**
   * Counts the refused request against its address. Returns the refusal to send: this one, or that of the address's
   * limit.
   */
  async countByAddress(refusal: Refusal): Promise<Refusal> {
    const { limitedAddresses, limiter } = this.gateway;
    const address = this.#addressLimit();
    if (refusal.status < 500) {
      const limited = await this.limit({ address });
      if (limited !== null) limitedAddresses.set(address.subject, true);
      return limited ?? refusal;
    }
    // Our own failures do not count against the caller.
    Object.assign(this.headers, limitHeaders({ address: await limiter.peek(address.subject, address.limit) }));
    return refusal;
  }

  /** The limit that callers without a valid credential share by address. */
  #addressLimit(): LimitPolicy {
    const { prefix, limit } = this.#policy.unauthenticated;
    return { subject: `${prefix}:${this.address}`, limit };
  }

  /** Runs `work`, converts a returned or thrown Refusal into an answer, and sends it. Returns the status. */
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
      network: () => networkOf(this.clientAddress),
      callersId: callersIdOf(this.request),
      traceparent: this.request.headers.traceparent as string | undefined,
      tool: this.tool,
    });
    return status;
  }

  /** Reports an internal failure. */
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

/** The limit with the least room among those whose use is near them. */
function nearLimitOf(allowances: Readonly<Record<string, Allowance>>, refused: boolean): RequestEvent['nearLimit'] {
  const all = Object.values(allowances);
  const near = all.filter(({ remaining, limit }) => isNearLimit(limit - remaining, limit));
  if (near.length === 0 || all.some(({ unavailable }) => unavailable)) return null;
  const least = strictest(near);
  return { of: allowances.firm === least ? 'firm' : 'key', limit: least.limit, refused };
}

/** The caller's own request id; null where it does not have the form of one. */
function callersIdOf({ headers }: FastifyRequest): string | null {
  const given = headers['x-request-id'];
  return typeof given === 'string' && CALLERS_ID.test(given) ? given : null;
}

/** The Server-Timing header: milliseconds by stage, without the sending. */
function serverTiming({ spent }: StageTimes): string {
  return STAGES.filter((stage) => spent[stage] > 0)
    .map((stage) => `${stage};dur=${spent[stage].toFixed(2)}`)
    .join(', ');
}

/** Fastify takes a single buffer, and concatenating the pieces would copy the whole body. */
function sendPieces(reply: FastifyReply, pieces: readonly Buffer[]): void {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const { raw } = reply.hijack();
  raw.writeHead(reply.statusCode, { ...reply.getHeaders(), 'Content-Length': length } as OutgoingHttpHeaders);
  raw.cork();
  for (const piece of pieces) raw.write(piece);
  raw.end();
}
