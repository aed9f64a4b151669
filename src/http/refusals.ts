// HTTP: errors as refusals, and the headers and bodies of refusals.
import { type ErrorCode, Refusal } from '#core/errors.ts';

/** Retry-After in seconds when the service is unavailable. */
const RETRY_SECONDS = '1';
/** Refusals of a credential from the `Authorization` header. Portal users sign in instead. */
const BEARER: ReadonlySet<ErrorCode> = new Set(['invalid_api_key', 'expired_api_key', 'invalid_access_token']);

/** The Refusal within the error or its causes. Any other error becomes `internal_error`, without its text. */
export function toRefusal(error: unknown): Refusal {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof Refusal) return one;
  return new Refusal('internal_error', { cause: error });
}

/** Additional headers of a refusal. */
export function refusalHeaders({ code, retryAfter, allow }: Refusal): Record<string, string> {
  if (allow !== undefined) return { Allow: allow };
  if (retryAfter !== undefined) return { 'Retry-After': `${retryAfter}` };
  if (code === 'service_unavailable') return { 'Retry-After': RETRY_SECONDS };
  return BEARER.has(code) ? { 'WWW-Authenticate': 'Bearer' } : {};
}

/** The specification's error object, for the portfolio API and the portal. A 400 names the parameter, if there is one. */
export function errorBody({ type, code, message, param }: Refusal, requestId: string): string {
  return JSON.stringify({ error: { type, code, message, param, request_id: requestId } });
}
