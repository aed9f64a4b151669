// GraphQL client: an HTTP exchange with the portal's server, all of whose endpoints refuse in the same format.
import { ARRIVES_MS, WORKS_MS } from '#core/action-limits.ts';
import { actingAs } from './acting-as.ts';
import { NO_RESPONSE, OFFLINE, PorticoError, UNREACHABLE } from './portico-error.ts';
import { expectResponse, noteUnreachable } from './reachable.ts';
import { noteServerTime } from './server-clock.ts';

interface Refused {
  error?: { code: string; message: string; param?: string; request_id?: string };
}

export interface ExchangeOptions {
  signal?: AbortSignal | undefined;
  /** Server time in Unix milliseconds, after which the server refuses the request. */
  until?: number | undefined;
}

/** Maximum time to wait for a response: an action takes no longer. */
export const MAX_WAIT_MS = ARRIVES_MS + WORKS_MS;

/**
 * GET without a body, POST with one. Returns the parsed JSON. Throws PorticoError for refusals and failures, also if there
 * is no response in time.
 */
export async function exchange(path: string, body?: unknown, options: ExchangeOptions = {}): Promise<unknown> {
  const noteResponse = expectResponse();
  const limit = AbortSignal.timeout(MAX_WAIT_MS);
  const response = await send(path, body, options, limit);
  const answer: unknown = await response.json().catch(() => null);
  if (answer === null && limit.aborted) throw new PorticoError(0, NO_RESPONSE);
  // A failure without an error body comes from a proxy whose server is down.
  const isAway = response.status >= 500 && answer === null;
  if (isAway) {
    noteUnreachable();
    throw new PorticoError(0, UNREACHABLE);
  }
  noteResponse();
  if (response.ok && answer !== null) return answer;
  // A truncated response has no more meaning than none: the request may have been executed.
  const status = response.ok ? 0 : response.status;
  throw new PorticoError(status, (answer as Refused | null)?.error ?? UNREADABLE, retryAfter(response));
}

const UNREADABLE = { code: 'internal_error', message: 'The answer could not be read.' };

async function send(
  path: string,
  body: unknown,
  { signal, until }: ExchangeOptions,
  limit: AbortSignal,
): Promise<Response> {
  const user = actingAs();
  const headers: Record<string, string> = user === null ? {} : { 'X-Portico-User': user };
  if (until !== undefined) headers['X-Portico-Until'] = String(until);
  const post = {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  };
  // An offline browser may still reach a server on its own machine, so the request is sent in any case.
  const offline = !navigator.onLine;
  try {
    const response = await fetch(path, {
      credentials: 'same-origin',
      ...(body === undefined ? { headers } : post),
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    noteServerTime(response);
    return response;
  } catch (cause) {
    if (signal?.aborted) throw cause;
    // A slow response does not mean that the server is away.
    if (limit.aborted) throw new PorticoError(0, NO_RESPONSE);
    noteUnreachable();
    throw new PorticoError(0, offline ? OFFLINE : UNREACHABLE);
  }
}

function retryAfter({ headers }: Response): number | null {
  const value = headers.get('Retry-After');
  return value === null ? null : Number(value);
}
