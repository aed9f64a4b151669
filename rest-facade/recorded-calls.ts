// REST facade: events for the record of calls of area A.
import { type Disclosure, NOTHING_DISCLOSED } from '#core/disclosure.ts';
import type { CallEvent } from '#core/events.ts';
import { isRegistryId } from '#core/ids.ts';
import { type Admission, effectiveScopes } from '#gateway/admission/admission.ts';
import type { Exchange } from '#http/exchange.ts';
import { pathOf } from '#http/path.ts';
import { namedVersion } from '#versions/negotiate.ts';

interface CallTarget {
  /** Method and route. */
  endpoint: string;
  registryId?: string | undefined;
}

/** The event of a call that has been answered. */
export function callOf(exchange: Exchange, status: number, { endpoint, registryId }: CallTarget): CallEvent {
  const { gateway, request, requestId, errorCode, refusal, times } = exchange;
  return {
    requestId,
    at: new Date().toISOString(),
    endpoint,
    registryId: registryId !== undefined && isRegistryId(registryId) ? registryId : null,
    status,
    errorCode,
    param: refusal?.param,
    message: refusal?.message,
    version: gateway.negotiator.dates.find((date) => date === namedVersion(request.headers)),
    tookMs: times.ended - times.began,
    address: exchange.clientAddress,
    userAgent: request.headers['user-agent'],
  };
}

interface Access {
  caller: Admission;
  /** The client named in the request, whether or not there is one. */
  clientId: string | null;
  /** Undefined if nothing was read. */
  disclosure: Disclosure | undefined;
}

/**
 * Records a call with a valid key, whatever its result. A 304 counts as disclosing the content that it confirms.
 */
export function recordCall(exchange: Exchange, status: number, target: CallTarget, access: Access): void {
  const { gateway, request } = exchange;
  const { caller, clientId, disclosure } = access;
  const bodiless = request.method === 'HEAD' && status === 200;
  gateway.events.emit('access', {
    ...callOf(exchange, status, target),
    firmId: caller.key.firmId,
    keyId: caller.key.id,
    clientId: caller.client?.id ?? null,
    namedClientId: clientId,
    scopes: effectiveScopes(caller),
    grantId: caller.grant?.id,
    ...(disclosure === undefined ? {} : { disclosure: bodiless ? NOTHING_DISCLOSED : disclosure }),
  });
}

/** Records a call with a well-formed key that was not accepted. */
export function recordAttempt(exchange: Exchange, keyHash: Buffer, status: number, target: CallTarget): void {
  exchange.gateway.events.emit('attempt', { ...callOf(exchange, status, target), keyHash });
}

/** The same for a call to an unknown path. */
export function recordUnrouted(exchange: Exchange, keyHash: Buffer, status: number): void {
  const { gateway, request } = exchange;
  const call = callOf(exchange, status, { endpoint: `${request.method} *` });
  gateway.events.emit('attempt', { ...call, keyHash, path: pathOf(request.url) });
}

/** Records a call without a well-formed key. */
export function recordUnauthenticated({ gateway, errorCode }: Exchange): void {
  gateway.events.emit('unauthenticated', {
    at: new Date().toISOString(),
    errorCode: errorCode ?? '',
  });
}
