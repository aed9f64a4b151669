// REST facade: events for the record of calls of area A.
import type { CallEvent } from '#core/events.ts';
import { isRegistryId } from '#core/ids.ts';
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
