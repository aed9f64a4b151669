// REST facade: refusals as bodies, one shape for each area.
import { ERRORS, Refusal } from '#core/errors.ts';

/** Seconds after which a caller may try again when the service was not available. */
const RETRY_SECONDS = '1';

/** Whatever was thrown as a refusal; what is not one of ours keeps its own text to itself. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return new Refusal('internal_error', { cause: error });
}

/** Headers a refusal brings besides its body. */
export function refusalHeaders({ code }: Refusal): Record<string, string> {
  if (code === 'service_unavailable') return { 'Retry-After': RETRY_SECONDS };
  return ERRORS[code].status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
}

/** Area A: the specification's error object; 400s name the parameter where there is one. */
export function portfolioError(refusal: Refusal, requestId: string): string {
  const { type, code, message, param } = refusal;
  const named = param === undefined ? {} : { param };
  return JSON.stringify({ error: { type, code, message, ...named, request_id: requestId } });
}

/** Area B: the status as a number, and a message. */
export function plantError({ status, message }: Refusal): string {
  return JSON.stringify({ error: status, message });
}
