// GraphQL client: one HTTP exchange with the portal's server; every endpoint of it refuses in the same shape.
import { actingAs } from './acting-as.ts';
import { OFFLINE, PorticoError, UNREACHABLE } from './portico-error.ts';
import { noteReachable } from './reachable.ts';
import { noteServerTime } from './server-clock.ts';

interface Refused {
  error?: { code: string; message: string; param?: string; request_id?: string };
}

export interface ExchangeOptions {
  signal?: AbortSignal | undefined;
  /** Unix milliseconds of the server; it refuses what arrives later. */
  until?: number | undefined;
}

/** GET without a body, POST with one. Gives the answer's JSON; throws PorticoError for refusals and failures. */
export async function exchange(path: string, body?: unknown, options: ExchangeOptions = {}): Promise<unknown> {
  const response = await send(path, body, options);
  const answer: unknown = await response.json().catch(() => null);
  // What fails without saying how is a proxy in front of a portal that is away.
  const isAway = response.status >= 500 && answer === null;
  noteReachable(!isAway);
  if (isAway) throw new PorticoError(0, UNREACHABLE);
  if (response.ok && answer !== null) return answer;
  // An answer that broke off on its way says no more than none: what it was about may have been done.
  const status = response.ok ? 0 : response.status;
  throw new PorticoError(status, (answer as Refused | null)?.error ?? UNREADABLE, retryAfter(response));
}

const UNREADABLE = { code: 'internal_error', message: 'The answer could not be read.' };

async function send(path: string, body: unknown, { signal, until }: ExchangeOptions): Promise<Response> {
  const user = actingAs();
  const headers: Record<string, string> = user === null ? {} : { 'X-Portico-User': user };
  if (until !== undefined) headers['X-Portico-Until'] = String(until);
  const post = {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  };
  // A browser that says so may still reach a server on its own machine: it is asked in any case.
  const offline = !navigator.onLine;
  try {
    const response = await fetch(path, {
      credentials: 'same-origin',
      ...(body === undefined ? { headers } : post),
      ...(signal === undefined ? {} : { signal }),
    });
    noteServerTime(response);
    return response;
  } catch (cause) {
    if (signal?.aborted) throw cause;
    noteReachable(false);
    throw new PorticoError(0, offline ? OFFLINE : UNREACHABLE);
  }
}

function retryAfter({ headers }: Response): number | null {
  const value = headers.get('Retry-After');
  return value === null ? null : Number(value);
}
