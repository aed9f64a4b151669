// REST facade: calls of area A as the record of calls is told of them.
import type { CallEvent } from '#core/events.ts';
import { isRegistryId } from '#core/ids.ts';
import type { Exchange } from '#http/exchange.ts';
import { pathOf } from '#http/path.ts';
import { namedVersion } from '#versions/negotiate.ts';

interface Asked {
  /** Method and route. */
  endpoint: string;
  registryId?: string | undefined;
}

/** A call that was answered. */
export function callOf(exchange: Exchange, status: number, { endpoint, registryId }: Asked): CallEvent {
  const { gateway, request, requestId, errorCode, refusal, times } = exchange;
  return {
    requestId,
    at: new Date(gateway.clock.now()).toISOString(),
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

/** Tells of a call with what may be the secret of a key and that was not let in as it. */
export function recordAttempt(exchange: Exchange, keyHash: Buffer, status: number, asked: Asked): void {
  exchange.gateway.events.emit('attempt', { ...callOf(exchange, status, asked), keyHash });
}

/** The same of a call to a path that no route has. */
export function recordLost(exchange: Exchange, keyHash: Buffer, status: number): void {
  const { gateway, request } = exchange;
  const call = callOf(exchange, status, { endpoint: `${request.method} *` });
  gateway.events.emit('attempt', { ...call, keyHash, path: pathOf(request.url) });
}

/** Tells of a call without anything that has the form of a key. */
export function recordStranger({ gateway, errorCode }: Exchange): void {
  gateway.events.emit('stranger', {
    at: new Date(gateway.clock.now()).toISOString(),
    errorCode: errorCode ?? '',
  });
}
