// GraphQL client: one HTTP exchange with the portal's server; every endpoint of it refuses in the same shape.
import { OFFLINE, PorticoError } from './portico-error.ts';

interface Refused {
  error?: { code: string; message: string; param?: string; request_id?: string };
}

/** GET without a body, POST with one. Gives the answer's JSON; throws PorticoError for refusals and failures. */
export async function exchange(path: string, body?: unknown, signal?: AbortSignal): Promise<unknown> {
  const response = await send(path, body, signal);
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer;
  throw new PorticoError(response.status, (answer as Refused | null)?.error ?? UNREADABLE, retryAfter(response));
}

const UNREADABLE = { code: 'internal_error', message: 'The answer could not be read.' };

async function send(path: string, body: unknown, signal: AbortSignal | undefined): Promise<Response> {
  const post = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  try {
    return await fetch(path, {
      credentials: 'same-origin',
      ...(body === undefined ? {} : post),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new PorticoError(0, OFFLINE);
  }
}

function retryAfter({ headers }: Response): number | null {
  const value = headers.get('Retry-After');
  return value === null ? null : Number(value);
}
