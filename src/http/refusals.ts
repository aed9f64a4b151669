// HTTP: errors as refusals, and the headers that go with a refusal.
import { type ErrorCode, Refusal } from '#core/errors.ts';

/** Seconds after which a caller may try again when the service was not available. */
const RETRY_SECONDS = '1';
/** Refusals of a credential that belongs into the `Authorization` header; people sign in instead. */
const BEARER: ReadonlySet<ErrorCode> = new Set(['invalid_api_key', 'expired_api_key', 'invalid_access_token']);

/** The error as a refusal: one of ours, also where a library wrapped it; anything else keeps its text to itself. */
export function toRefusal(error: unknown): Refusal {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof Refusal) return one;
  return new Refusal('internal_error', { cause: error });
}

/** Headers of a refusal, beyond those of its request. */
export function refusalHeaders({ code, retryAfter, allow }: Refusal): Record<string, string> {
  if (allow !== undefined) return { Allow: allow };
  if (retryAfter !== undefined) return { 'Retry-After': `${retryAfter}` };
  if (code === 'service_unavailable') return { 'Retry-After': RETRY_SECONDS };
  return BEARER.has(code) ? { 'WWW-Authenticate': 'Bearer' } : {};
}
