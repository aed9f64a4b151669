// HTTP: whatever was thrown, as a refusal, and the headers that go with one.
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
